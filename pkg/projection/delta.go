package projection

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// The types of a Delta.
const (
	EntityAdded   = "entity_added"
	EntityRemoved = "entity_removed"
	EntityMoved   = "entity_moved"
	FieldAdded    = "field_added"
	FieldRemoved  = "field_removed"
	FieldReplaced = "field_replaced"
)

// maxValueBytes is the maximum size of a value in a delta; the patches hold all of it.
const maxValueBytes = 1000

// maxTitleRunes is the maximum length of an entity's title.
const maxTitleRunes = 120

// Delta is one change in terms of the page: an element of a list is an entity,
// a member of an object a field.
type Delta struct {
	Type   string  `json:"type"`
	Entity *Entity `json:"entity,omitempty"`
	Field  string  `json:"field,omitempty"`
	// Path is a JSON pointer into the current state, or into the previous one for a
	// removal. From is the previous pointer of an entity that moved.
	Path     string          `json:"path"`
	From     string          `json:"from,omitempty"`
	Value    json.RawMessage `json:"value,omitempty"`
	Previous json.RawMessage `json:"previous,omitempty"`
	// ValuesOmitted is set if a value was too long to repeat here.
	ValuesOmitted bool `json:"values_omitted,omitzero"`
}

// Entity identifies an element of a list.
type Entity struct {
	Kind  string          `json:"kind"`         // such as card for an element of cards
	ID    json.RawMessage `json:"id,omitempty"` // its id or key, a string or a number
	Title string          `json:"title,omitempty"`
}

// change is a delta with the entity's value and its identity across lists, "" for
// none.
type change struct {
	Delta
	value    any
	identity string
}

// walker collects the changes of two trees.
type walker struct{ changes []change }

// deltas returns the changes between two states, in the order of the current one.
func deltas(from, to any) []Delta {
	w := &walker{}
	w.compare("", "", from, to)
	w.joinMoves()
	out := make([]Delta, len(w.changes))
	for i, c := range w.changes {
		out[i] = c.Delta
	}
	return out
}

// compare walks two values at the same path; field is the name of their member.
func (w *walker) compare(path, field string, from, to any) {
	before, wasObject := from.(map[string]any)
	after, isObject := to.(map[string]any)
	if wasObject && isObject {
		w.objects(path, before, after)
		return
	}
	was, wasList := from.([]any)
	is, isList := to.([]any)
	switch {
	case wasList && isList:
		w.lists(path, kindOf(field), field, was, is)
	case !reflect.DeepEqual(from, to):
		w.field(FieldReplaced, path, field, encode(to), encode(from))
	}
}

func (w *walker) objects(path string, from, to map[string]any) {
	names := slices.Collect(maps.Keys(to))
	for name := range from {
		if _, ok := to[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		at := path + "/" + jsonnode.Escape(name)
		before, was := from[name]
		after, is := to[name]
		switch {
		case was && is:
			w.compare(at, name, before, after)
		case is:
			w.field(FieldAdded, at, name, encode(after), nil)
		default:
			w.field(FieldRemoved, at, name, nil, encode(before))
		}
	}
}

func (w *walker) field(what, path, field string, value, previous json.RawMessage) {
	d := Delta{Type: what, Path: path, Field: field, Value: value, Previous: previous}
	if len(value) > maxValueBytes {
		d.Value, d.ValuesOmitted = nil, true
	}
	if len(previous) > maxValueBytes {
		d.Previous, d.ValuesOmitted = nil, true
	}
	w.changes = append(w.changes, change{Delta: d})
}

// entity records that an element of a list was added or removed.
func (w *walker) entity(what, path, kind string, value any) {
	e := Entity{Kind: kind}
	c := change{value: value}
	switch v := value.(type) {
	case map[string]any:
		id := cmp.Or(idText(v["id"]), idText(v["key"]))
		if id != "" {
			e.ID, c.identity = json.RawMessage(id), kind+" "+id
		}
		for _, name := range []string{"title", "name", "label", "text"} {
			if text, ok := v[name].(string); ok && e.Title == "" {
				e.Title = truncate.Characters(text, maxTitleRunes)
			}
		}
	case string:
		e.Title = truncate.Characters(v, maxTitleRunes)
	}
	c.Delta = Delta{Type: what, Path: path, Entity: &e}
	w.changes = append(w.changes, c)
}

// joinMoves replaces the removal of an entity from one list and its addition to
// another by one move. It needs an id or a key that occurs only once.
func (w *walker) joinMoves() {
	added, removed := map[string][]int{}, map[string][]int{}
	for i, c := range w.changes {
		if c.identity != "" && c.Type == EntityAdded {
			added[c.identity] = append(added[c.identity], i)
		}
		if c.identity != "" && c.Type == EntityRemoved {
			removed[c.identity] = append(removed[c.identity], i)
		}
	}
	joined := &walker{}
	for i, c := range w.changes {
		in, out := added[c.identity], removed[c.identity]
		switch { // the move implies the removal, so that is left out
		case len(in) != 1 || len(out) != 1 || i != in[0] && i != out[0]:
			joined.changes = append(joined.changes, c)
		case i == in[0]:
			before := w.changes[out[0]]
			c.Type, c.From = EntityMoved, before.Path
			joined.changes = append(joined.changes, c)
			joined.compare(c.Path, "", before.value, c.value)
		}
	}
	w.changes = joined.changes
}

// kindOf returns the singular of a list's name.
func kindOf(list string) string {
	switch {
	case list == "":
		return "item"
	case strings.HasSuffix(list, "ies") && len(list) > 4:
		return strings.TrimSuffix(list, "ies") + "y"
	case strings.HasSuffix(list, "ss"):
		return list
	}
	return strings.TrimSuffix(list, "s")
}

// idText returns an id as JSON, or "" if it is not one.
func idText(v any) string {
	switch v := v.(type) {
	case string:
		if v != "" {
			return string(encode(v))
		}
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// encode returns the JSON of a value that was decoded from JSON, which cannot fail,
// without escapes for HTML.
func encode(v any) json.RawMessage {
	text, _ := jsonnode.Encode(v)
	return text
}
