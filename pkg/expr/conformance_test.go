package expr

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// vectors opens a file of the shared test data, nil where it is not present.
func vectors(t *testing.T, name string) io.ReadCloser {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "vectors", name))
	if errors.Is(err, os.ErrNotExist) {
		t.Logf("%s is not present beside the repository: these cases are skipped", name)
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

// evaluate returns the result, decoded by encoding/json; undefined is absent{}.
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

// Ensure real expressions of maps have in every context the result of jsonata-js.
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
	if right < 182 {
		t.Errorf("%d idioms are right, 182 are demanded", right)
	}
}

// vectorFile is the form of the shared vectors.
type vectorFile struct {
	Contexts map[string]json.RawMessage
	Cases    []struct {
		Expr string
		Runs []vectorRun
	}
}

// vectorRun is what jsonata-js answers in one context: V, or undefined without
// one, or an error.
type vectorRun struct {
	Mode, Ctx string
	V         json.RawMessage
	E, Err    *string
}

func (r vectorRun) fails() bool { return r.E != nil || r.Err != nil }

func readVectors(t *testing.T, data io.Reader) (file vectorFile) {
	t.Helper()
	if err := json.NewDecoder(data).Decode(&file); err != nil {
		t.Fatal(err)
	}
	return file
}

// runVectors counts the expressions that are right in all their contexts.
func runVectors(t *testing.T, data io.Reader) (right, total int) {
	file := readVectors(t, data)
	for _, c := range file.Cases {
		good := true
		for _, run := range c.Runs {
			got, err := evaluate(c.Expr, decode(t, string(file.Contexts[run.Ctx])))
			if run.fails() != (err != nil) || err == nil && !reflect.DeepEqual(got, plain(run.V)) {
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
