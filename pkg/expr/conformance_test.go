package expr

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// vectors opens a file of the shared test data, nil where it is not present.
func vectors(t *testing.T, name string) io.ReadCloser {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "vectors", name))
	if errors.Is(err, os.ErrNotExist) {
		t.Logf("%s is not present beside the repository: this part is left out", name)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return f
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// relaxed are limits that do not matter in a comparison of results.
var relaxed = Limits{Timeout: 20 * time.Second, MaxInputBytes: 16 << 20, MaxOutputBytes: 16 << 20}

// evaluate gives the result, decoded by encoding/json; undefined is absent{}.
func evaluate(source string, input Value) (any, error) {
	e, err := Compile(source)
	if err != nil {
		return nil, err
	}
	v, err := e.Eval(context.Background(), input, relaxed)
	if err != nil {
		return nil, err
	}
	return plain(v.JSON()), nil
}

type absent struct{}

func plain(text json.RawMessage) any {
	if text == nil {
		return absent{}
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	return v
}

// Ensure real expressions of maps give in every context what jsonata-js gives.
func TestMapExpressions(t *testing.T) {
	data := vectors(t, "map-expressions.json.gz")
	if data == nil {
		return
	}
	right, total := runVectors(t, data)
	t.Logf("map expressions right in all contexts: %d of %d", right, total)
	if right < 154 {
		t.Errorf("%d map expressions are right, 154 are demanded", right)
	}
}

// Ensure small idioms give what jsonata-js gives.
func TestIdioms(t *testing.T) {
	data := vectors(t, "idioms.json")
	if data == nil {
		return
	}
	right, total := runVectors(t, data)
	t.Logf("idioms right: %d of %d", right, total)
	if right < 180 {
		t.Errorf("%d idioms are right, 180 are demanded", right)
	}
}

// runVectors counts the expressions that are right in all their contexts.
func runVectors(t *testing.T, data io.Reader) (right, total int) {
	var file struct {
		Contexts map[string]json.RawMessage
		Cases    []struct {
			Expr string
			Runs []struct {
				Mode string
				Ctx  string
				V    json.RawMessage
				U    bool
				E    *string
				Err  *string
			}
		}
	}
	if err := json.NewDecoder(data).Decode(&file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		good := true
		for _, run := range c.Runs {
			input, err := Decode(file.Contexts[run.Ctx])
			if err != nil {
				t.Fatal(err)
			}
			got, err := evaluate(c.Expr, input)
			wantError := run.E != nil || run.Err != nil
			want := plain(run.V)
			if wantError != (err != nil) || err == nil && !reflect.DeepEqual(got, want) {
				good = false
				t.Logf("%s: %.300s\n got %.300v %v\nwant %.300v", run.Mode, c.Expr, got, err, string(run.V))
			}
		}
		total++
		if good {
			right++
		}
	}
	return right, total
}

// suiteCase is one case of the official test suite.
type suiteCase struct {
	Name            string `json:"-"`
	Expr            string
	ExprFile        string `json:"expr-file"`
	Data            json.RawMessage
	Dataset         *string
	Bindings        map[string]json.RawMessage
	Result          json.RawMessage
	UndefinedResult bool
	Unordered       bool
	Code            string
	Error           json.RawMessage
}

// Ensure the official test suite is passed at least as far as the engine alone passes it.
func TestSuite(t *testing.T) {
	data := vectors(t, "jsonata-suite.tar.gz")
	if data == nil {
		return
	}
	cases, datasets := readSuite(t, data)
	right := 0
	for _, c := range cases {
		if err := runSuiteCase(c, datasets); err != nil {
			t.Logf("%s: %.200q: %.300v", c.Name, c.Expr, err)
			continue
		}
		right++
	}
	t.Logf("official suite: %d of %d", right, len(cases))
	if right < 1674 {
		t.Errorf("%d cases pass, 1674 are demanded", right)
	}
}

func readSuite(t *testing.T, data io.Reader) (cases []suiteCase, datasets map[string]json.RawMessage) {
	files := map[string][]byte{}
	for r := tar.NewReader(data); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	datasets = map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		dir, base := path.Split(name)
		if !strings.HasSuffix(base, ".json") {
			continue
		}
		if strings.Contains(dir, "/datasets/") {
			datasets[strings.TrimSuffix(base, ".json")] = files[name]
			continue
		}
		var list []suiteCase
		if text := files[name]; len(text) > 0 && text[0] != '[' {
			list = make([]suiteCase, 1)
			if err := json.Unmarshal(text, &list[0]); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		} else if err := json.Unmarshal(text, &list); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, c := range list {
			c.Name = name
			if c.ExprFile != "" {
				c.Expr = string(files[dir+c.ExprFile])
			}
			cases = append(cases, c)
		}
	}
	return cases, datasets
}

func runSuiteCase(c suiteCase, datasets map[string]json.RawMessage) error {
	input := Undefined()
	text := c.Data
	if c.Dataset != nil {
		text = datasets[*c.Dataset]
	}
	if text != nil {
		var err error
		if input, err = Decode(text); err != nil {
			return err
		}
	}
	// Bindings become variables in front of the expression.
	source := c.Expr
	for name, value := range c.Bindings {
		source = "$" + name + " := " + string(value) + "; " + source
	}
	if len(c.Bindings) > 0 {
		source = "(" + source + ")"
	}
	got, err := evaluate(source, input)
	if fault.Is(err, fault.DisallowedExpressionFunction) {
		return nil // the one deliberate difference
	}
	switch {
	case c.Code != "" || c.Error != nil:
		if err == nil || !strings.Contains(err.Error(), c.Code) {
			return fmt.Errorf("it must fail with %s, got %v", c.Code, err)
		}
		return nil
	case err != nil:
		return err
	case c.UndefinedResult:
		if got != (absent{}) {
			return errors.New("it must be undefined")
		}
	case c.Unordered && sameElements(got, plain(c.Result)):
	case !reflect.DeepEqual(got, plain(c.Result)):
		text, _ := json.Marshal(got)
		return errors.New("got " + string(text) + ", want " + string(c.Result))
	}
	return nil
}

func sameElements(a, b any) bool {
	x, ok1 := a.([]any)
	y, ok2 := b.([]any)
	if !ok1 || !ok2 || len(x) != len(y) {
		return false
	}
	for _, e := range x {
		i := slices.IndexFunc(y, func(f any) bool { return reflect.DeepEqual(e, f) })
		if i < 0 {
			return false
		}
		y = slices.Delete(slices.Clone(y), i, i+1)
	}
	return true
}
