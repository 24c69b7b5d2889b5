package expr

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

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
	right, forbidden := 0, 0
	for _, c := range cases {
		err := runSuiteCase(c, datasets)
		switch {
		case fault.Is(err, fault.DisallowedExpressionFunction): // the one deliberate difference
			forbidden++
			right++
		case err != nil:
			t.Logf("%s: %.200q: %.300v", c.Name, c.Expr, err)
		default:
			right++
		}
	}
	t.Logf("official suite: %d of %d, %d of these are refused because of a forbidden function", right, len(cases), forbidden)
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
	switch {
	case fault.Is(err, fault.DisallowedExpressionFunction):
		return err
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
