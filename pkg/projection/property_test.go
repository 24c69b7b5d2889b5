package projection

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// apply carries out patches as RFC 6902 says, on a value decoded from JSON.
func apply(doc any, patches json.RawMessage) (any, error) {
	var operations []struct {
		Op    string
		Path  string
		Value json.RawMessage
	}
	if err := json.Unmarshal(patches, &operations); err != nil {
		return nil, err
	}
	for _, o := range operations {
		var value any
		if o.Op != "remove" {
			if err := json.Unmarshal(o.Value, &value); err != nil {
				return nil, fmt.Errorf("%+v: %w", o, err)
			}
		}
		tokens := strings.Split(o.Path, "/")[1:]
		if o.Path == "" {
			tokens = nil
		}
		var err error
		if doc, err = change1(doc, o.Op, tokens, value); err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Op, o.Path, err)
		}
	}
	return doc, nil
}

// change1 carries out one operation below the value and returns the new value.
func change1(at any, op string, tokens []string, value any) (any, error) {
	if len(tokens) == 0 {
		return value, nil
	}
	token := strings.NewReplacer("~1", "/", "~0", "~").Replace(tokens[0])
	last := len(tokens) == 1
	switch at := at.(type) {
	case map[string]any:
		child, exists := at[token]
		if !exists && (!last || op != "add") {
			return nil, fmt.Errorf("no member %q", token)
		}
		at = maps.Clone(at)
		if last && op == "remove" {
			delete(at, token)
			return at, nil
		}
		child, err := change1(child, op, tokens[1:], value)
		at[token] = child
		return at, err
	case []any:
		i, err := strconv.Atoi(token)
		if token == "-" {
			i, err = len(at), nil
		}
		if err != nil || i < 0 || i > len(at) || i == len(at) && (!last || op != "add") {
			return nil, fmt.Errorf("no element %q of %d", token, len(at))
		}
		switch {
		case last && op == "add":
			return slices.Insert(slices.Clone(at), i, value), nil
		case last && op == "remove":
			return slices.Delete(slices.Clone(at), i, i+1), nil
		}
		at = slices.Clone(at)
		at[i], err = change1(at[i], op, tokens[1:], value)
		return at, err
	}
	return nil, fmt.Errorf("%T has no %q", at, token)
}

// patched reports whether the patches make the current state of the previous one.
func patched(previous, current json.RawMessage, patches json.RawMessage) error {
	var from, to any
	if err := json.Unmarshal(previous, &from); err != nil {
		return err
	}
	if err := json.Unmarshal(current, &to); err != nil {
		return err
	}
	got, err := apply(from, patches)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(got, to) {
		return fmt.Errorf("applied, %s gives %s", patches, encode(got))
	}
	return nil
}

// states draws JSON values that share names, ids and texts, so that they differ
// in all the ways that states of one page do.
func states(depth int) *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.SampledFrom([]any{nil, true, false, "", "a", "b", "a/b~c<", float64(0), 1.5}),
		rapid.Map(rapid.IntRange(0, 9), func(n int) any { return float64(n) }),
	)
	if depth == 0 {
		return scalar
	}
	inner := states(depth - 1)
	object := rapid.MapOfN(rapid.SampledFrom([]string{"id", "name", "title", "x/y", "cards"}), inner, 0, 4)
	list := rapid.SliceOfN(inner, 0, 6)
	entities := rapid.SliceOfNDistinct(rapid.IntRange(0, 9), 0, 7, rapid.ID[int])
	return rapid.OneOf(
		scalar,
		rapid.Map(object, func(m map[string]any) any { return m }),
		rapid.Map(list, func(l []any) any { return l }),
		rapid.Custom(func(t *rapid.T) any {
			out := []any{}
			for _, id := range entities.Draw(t, "ids") {
				out = append(out, map[string]any{"id": float64(id), "title": inner.Draw(t, "title")})
			}
			return out
		}),
	)
}

func TestDiffProperty(t *testing.T) {
	// Ensure that applying the patches to the previous state gives the current one, and deltas are told exactly when something changed.
	generator := states(3)
	rapid.Check(t, func(t *rapid.T) {
		previous, current := encode(generator.Draw(t, "previous")), encode(generator.Draw(t, "current"))
		c, err := Diff(previous, current)
		if err != nil {
			t.Fatal(err)
		}
		if err := patched(previous, current, c.Patches); err != nil {
			t.Fatalf("%s to %s: %v", previous, current, err)
		}
		if same := string(previous) == string(current); same != (len(c.Deltas) == 0) || same != (string(c.Patches) == "[]") {
			t.Fatalf("%s to %s: patches %s, %d deltas", previous, current, c.Patches, len(c.Deltas))
		}
	})
}

func TestMoveProperty(t *testing.T) {
	// Ensure a list of identified elements is told as additions, removals and the fewest moves, and each path leads to its entity.
	ids := rapid.SliceOfNDistinct(rapid.IntRange(0, 12), 0, 10, rapid.ID[int])
	rapid.Check(t, func(t *rapid.T) {
		list := func(name string) []any {
			out := []any{}
			for _, id := range ids.Draw(t, name) {
				out = append(out, map[string]any{"id": float64(id)})
			}
			return out
		}
		from, to := list("from"), list("to")
		common, moved := 0, 0
		before, _ := indexed(from, "id")
		var order []int
		for _, element := range to {
			if at, ok := before[idText(element.(map[string]any)["id"])]; ok {
				common++
				order = append(order, at)
			}
		}
		for _, d := range deltas(from, to) {
			of := to
			if d.Type == EntityRemoved {
				of = from
			}
			i, err := strconv.Atoi(d.Path[1:])
			if err != nil || idText(of[i].(map[string]any)["id"]) != string(d.Entity.ID) {
				t.Fatalf("%s %s leads to %v, not %s", d.Type, d.Path, of[i], d.Entity.ID)
			}
			if d.Type == EntityMoved {
				moved++
			}
		}
		if want := common - longestRise(order); moved != want {
			t.Fatalf("%v to %v: %d moves, %d would do", from, to, moved, want)
		}
	})
}

// longestRise is the length of the longest rising subsequence, the slow and sure way.
func longestRise(list []int) int {
	best := make([]int, len(list))
	most := 0
	for i := range list {
		best[i] = 1
		for j := range i {
			if list[j] < list[i] {
				best[i] = max(best[i], best[j]+1)
			}
		}
		most = max(most, best[i])
	}
	return most
}
