package expr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// randomInput is the context of the random expressions: what a workflow sees.
const randomInput = `{"input":{"title":"Buy milk","count":3,"empty":"","none":null,"list":["b","a","b"],"zero":0,"yes":true},
"steps":{"find":{"ok":true,"output":{"items":[{"k":"a","v":1,"t":["x","y"]},{"k":"b","v":2,"t":[]},{"k":"a","v":3,"t":["z"],"n":null}],
"one":[{"k":"q","v":9}],"clickable_center":{"x":10.5,"y":20},"text":"  Hello\u00a0World 42, foo-bar  \n next "}}},
"item":{"k":"b","v":2},"index":1}`

// generator makes random expressions of the kind that maps hold.
type generator struct{ *rand.Rand }

func (g generator) pick(options ...string) string { return options[g.IntN(len(options))] }

// any makes an expression of any type.
func (g generator) any(depth int) string {
	if depth <= 0 {
		return g.pick("input.title", "input.count", "input.missing", "input.none", "null", "1", `"x"`, "true",
			"steps.find.output.items", "steps.find.output.one", "steps.missing.output.x", "item", "index", "[]", "{}", "input.list")
	}
	d := depth - 1
	switch g.IntN(7) {
	case 0:
		return g.text(d)
	case 1:
		return g.number(d)
	case 2:
		return g.boolean(d)
	case 3:
		return g.array(d)
	case 4:
		return g.boolean(d) + " ? " + g.any(d) + " : " + g.any(d)
	case 5:
		return `{"a": ` + g.any(d) + `, "b": ` + g.text(d) + "}"
	default:
		return "($a := " + g.any(d) + "; " + g.pick("$a", "[$a]", "$exists($a)", "$type($a)", "$count($a)", "$string($a)") + ")"
	}
}

func (g generator) text(depth int) string {
	if depth <= 0 {
		return g.pick("input.title", "input.empty", `"ab-c"`, "steps.find.output.text", "item.k", "input.list[0]")
	}
	d := depth - 1
	switch g.IntN(10) {
	case 0:
		return "$trim(" + g.text(d) + ")"
	case 1:
		return g.any(d/2) + " & " + g.text(d)
	case 2:
		return "$substring(" + g.text(d) + ", " + g.number(0) + g.pick("", ", 3") + ")"
	case 3:
		return "$replace(" + g.text(d) + ", " + g.regex() + `, ` + g.pick(`""`, `"-"`, `"[$0]"`, `"$1$$"`) + ")"
	case 4:
		return "$join(" + g.pick("input.list", "steps.find.output.items.k", `["p","q"]`) + `, ", ")`
	case 5:
		return g.pick("$uppercase", "$lowercase", "$string", "$encodeUrlComponent") + "(" + g.text(d) + ")"
	case 6:
		return g.pick("$substringBefore", "$substringAfter") + "(" + g.text(d) + ", " + g.pick(`"-"`, `" "`, `"l"`) + ")"
	case 7:
		return "$string(" + g.any(d) + ")"
	case 8:
		return "$match(" + g.text(d) + ", " + g.regex() + ")[0].match"
	default:
		return "(" + g.boolean(d) + " ? " + g.text(d) + " : " + g.text(d) + ")"
	}
}

func (g generator) regex() string {
	return g.pick(`/o/`, `/[a-m]+/`, `/\s+/`, `/[\s\u00a0]+/`, `/(l+)(o)?/`, `/\d+/`, `/[^\w\s]/`, `/^\s*|\s*$/`, `/B|x/i`, `/.b?/`, `/(\w)\S/`)
}

func (g generator) number(depth int) string {
	if depth <= 0 {
		return g.pick("input.count", "index", "0", "1", "2.5", "-1", "item.v", "input.zero")
	}
	d := depth - 1
	switch g.IntN(6) {
	case 0:
		return "(" + g.number(d) + g.pick(" + ", " - ", " * ", " / ", " % ") + g.number(d) + ")"
	case 1:
		return "$count(" + g.any(d) + ")"
	case 2:
		return "$length(" + g.text(d) + ")"
	case 3:
		return g.pick("$sum", "$max", "$min", "$average") + "(" + g.pick("steps.find.output.items.v", "[1..4]", "[]", "steps.find.output.one.v") + ")"
	case 4:
		return g.pick("$floor", "$round", "$abs", "$number", "$ceil") + "(" + g.number(d) + ")"
	default:
		return g.array(d) + g.pick("[0].v", "[-1].v", "[1]")
	}
}

func (g generator) boolean(depth int) string {
	if depth <= 0 {
		return g.pick("input.yes", "true", "false", "input.none = null", "$exists(item.k)", "input.missing")
	}
	d := depth - 1
	switch g.IntN(7) {
	case 0:
		return "(" + g.any(d) + g.pick(" = ", " != ") + g.any(d) + ")"
	case 1:
		return "(" + g.number(d) + g.pick(" < ", " >= ", " > ", " <= ") + g.number(d) + ")"
	case 2:
		return "(" + g.boolean(d) + g.pick(" and ", " or ") + g.boolean(d) + ")"
	case 3:
		return "$contains(" + g.text(d) + ", " + g.pick(g.regex(), `"l"`, `" "`) + ")"
	case 4:
		return g.pick("$not", "$boolean", "$exists") + "(" + g.any(d) + ")"
	case 5:
		return "(" + g.text(d) + " in " + g.array(d) + ")"
	default:
		return "$count(" + g.array(d) + ") > 0"
	}
}

func (g generator) array(depth int) string {
	if depth <= 0 {
		return g.pick("steps.find.output.items", "input.list", "steps.find.output.one", "[1..3]", "[]", "steps.missing.output.items")
	}
	d := depth - 1
	switch g.IntN(12) {
	case 0:
		return "$map(" + g.array(d) + ", function($v, $i){ " + g.pick("$v.k", "$i", "$v", `{"k": $v.k, "i": $i}`, "[$v]", "$string($v)") + " })"
	case 1:
		return "$filter(" + g.array(d) + ", function($v){ " + g.pick("$v.v > 1", `$v.k = "a"`, "$exists($v.t)", `$v = "b"`, "true") + " })"
	case 2:
		return g.array(d) + g.pick(`[k="a"]`, "[v>1]", "[0]", "[$$.input.count = 3]", "[-1]", "[$.v = $$.item.v]")
	case 3:
		return "$append(" + g.pick("[]", g.array(d)) + ", " + g.array(d) + ")"
	case 4:
		return "[" + g.any(d) + ", " + g.any(d) + "]"
	case 5:
		return g.array(d) + g.pick(".k", ".t", `.{"k": k}`, ".[k, v]", ".(v + 1)", ".n", ".*")
	case 6:
		return "$split(" + g.text(d) + ", " + g.pick(g.regex(), `" "`, `"-"`) + ")"
	case 7:
		return "$reduce(" + g.array(d) + ", function($a, $v){ " + g.pick("$append($a, $v)", "$a", "$string($a) & $string($v)") + " }" + g.pick("", ", []") + ")"
	case 8:
		return "$match(" + g.text(d) + ", " + g.regex() + ")"
	case 9:
		return g.pick("$reverse", "$distinct", "$keys") + "(" + g.array(d) + ")"
	case 10:
		return g.array(d) + " ~> $map(function($v){ $v.k })"
	default:
		return "[" + g.array(d) + "]"
	}
}

// Ensure random expressions give what npm's jsonata gives.
func TestRandomExpressions(t *testing.T) {
	node, err := exec.LookPath("node")
	module, _ := filepath.Abs(filepath.Join("..", "..", "extension", "node_modules", "jsonata", "jsonata.js"))
	if _, missing := os.Stat(module); err != nil || missing != nil {
		t.Skip("node or the extension's npm packages are not installed")
	}
	g := generator{rand.New(rand.NewPCG(1, 2))}
	const n = 3000
	expressions := make([]string, n)
	for i := range expressions {
		expressions[i] = g.any(1 + g.IntN(4))
	}
	answers := askNode(t, node, module, expressions)
	input, err := Decode(json.RawMessage(randomInput))
	if err != nil {
		t.Fatal(err)
	}
	equal, failing := 0, 0
	for i, source := range expressions {
		got, err := evaluate(source, input)
		if answers[i].E != "" {
			failing++
		}
		if err := compare(got, err, answers[i]); err != nil {
			t.Logf("%s\n\t%v", source, err)
			continue
		}
		equal++
	}
	t.Logf("random expressions: %d of %d as in npm's jsonata (%d of them fail there)", equal, n, failing)
	if equal < 2980 {
		t.Errorf("%d random expressions agree", equal)
	}
}

// answer is what npm's jsonata gives.
type answer struct {
	V json.RawMessage
	U bool
	E string
}

func askNode(t *testing.T, node, module string, expressions []string) []answer {
	t.Helper()
	question, err := json.Marshal(map[string]any{
		"module": module, "input": json.RawMessage(randomInput), "expressions": expressions})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, filepath.Join("testdata", "jsonata.mjs"))
	cmd.Stdin = bytes.NewReader(question)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(expressions) {
		t.Fatalf("%d answers to %d expressions", len(lines), len(expressions))
	}
	answers := make([]answer, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &answers[i]); err != nil {
			t.Fatal(err)
		}
	}
	return answers
}

func compare(got any, err error, want answer) error {
	switch {
	case want.E != "" && err == nil:
		return fmt.Errorf("got %v, want the error %s", got, want.E)
	case want.E != "":
		return nil
	case err != nil:
		return fmt.Errorf("got the error %w, want %s", err, want.V)
	}
	expected := any(absent{})
	if !want.U {
		expected = plain(want.V)
	}
	if !reflect.DeepEqual(got, expected) {
		text, _ := json.Marshal(got)
		return errors.New("got " + string(text) + ", want " + string(want.V))
	}
	return nil
}
