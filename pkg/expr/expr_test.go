package expr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func decode(t testing.TB, text string) Value {
	t.Helper()
	v, err := Decode(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// eval compiles and evaluates; undefined is "".
func eval(t testing.TB, source string, input Value, lim Limits) (string, error) {
	t.Helper()
	e, err := Compile(source)
	if err != nil {
		return "", err
	}
	v, err := e.Eval(context.Background(), input, lim)
	return string(v.JSON()), err
}

// Ensure types, the order of keys, null and undefined survive an evaluation.
func TestEval(t *testing.T) {
	input := decode(t, `{"input":{"count":3,"z":null,"a":[{"k":2},{"k":1}],"text":"a\u00a0 b","tall":"😀x"},"item":null}`)
	for _, c := range []struct{ source, want string }{
		{`input.count + 2`, `5`},
		{`{"z": 1, "a": true, "missing": input.none, "null": input.z}`, `{"z":1,"a":true,"null":null}`},
		{`input.none`, ``},
		{`input.z`, `null`},
		{`item`, `null`},
		{`$exists(input.z)`, `true`},
		{`$not($contains(input.none, "Remove"))`, ``},
		{`input.a[k=1]`, `{"k":1}`},
		{`input.a[k=$$.input.count - 1].k`, `2`},
		{`$filter(input.a, function($v){ $v.k = 1 })`, `{"k":1}`},
		{`$filter([1,2], function($v){ $v > 5 })`, ``},
		{`[$filter([1,2], function($v){ $v > 5 })]`, `[]`},
		{`$split("", ",")`, `[""]`},
		{`$append([], input.none)`, `[]`},
		{`$match("a-b-c", /-(.)/)`, `[{"match":"-b","index":1,"groups":["b"]},{"match":"-c","index":3,"groups":["c"]}]`},
		{`$match(input.tall, /x/).index`, `2`},
		{`$length(input.tall)`, `2`},
		{`$replace("a\u200Bb", /[\u200B\u200C]/, "")`, `"ab"`},
		{`$split(input.text, /\s+/)`, `["a","b"]`},
		{`$replace("ab", /(.)(.)/, "$2$1$$$3")`, `"ba$"`},
		{`$replace("ab", /./, function($m){ $m.match & "." })`, `"a.b."`},
		{`input.tall ~> /x(y)?/`, `{"match":"x","start":2,"end":3,"groups":[null]}`},
		{`($r := /B/i; ["abc", "d"].($ ~> $r).start)`, `1`},
		{`"ab" ~> /x*/`, `{"match":"","start":0,"end":0,"groups":[]}`},
		{`input.count ~> /3/`, ``},
		{`"ab" ~> /b/ ~> $lookup("start")`, `1`},
		{`($f := $trim ~> /b/; $f(" b ").match)`, `"b"`},
		{`$string({"a": 0.1 + 0.2, "f": $sum})`, `"{\"a\":0.3,\"f\":\"\"}"`},
		{`0.1 + 0.2`, `0.30000000000000004`},
		{`"n" & null & input.none & 1e21 & true`, `"nnull1e+21true"`},
		{`[1..3].($ * 2)`, `[2,4,6]`},
		{`input.none ?? "x" = "x"`, `true`},
		{`input.none ?: false ? "yes" : "no"`, `"no"`},
		{`input.a[0].k / 2 + input.a[1] . k / 1`, `2`},
		{`input.a[0].k / input.none`, ``},
		{`"a\u2028<b>"`, "\"a\u2028<b>\""},
		{`function($x){ $x }`, ``},
		{`{"f": $sum, "l": [$sum, 1]}`, `{"l":[null,1]}`},
		{`-0`, `0`},
		{`$base64encode("hé")`, `"aOk="`},
		{`$base64decode("aOk=")`, `"hé"`},
	} {
		got, err := eval(t, c.source, input, Limits{})
		if got != c.want || err != nil {
			t.Errorf("%s\n got %s, %v\nwant %s", c.source, got, err, c.want)
		}
	}
}

// Ensure each kind of failure has its code and says what is wrong.
func TestErrors(t *testing.T) {
	big := decode(t, `{"s":"`+strings.Repeat("x", 20_000)+`"}`)
	for _, c := range []struct {
		source string
		code   fault.Code
		says   string
		lim    Limits
	}{
		{source: `1 +`, code: fault.InvalidExpression, says: "end of expression"},
		{source: `input.a & ) + "long tail"`, code: fault.InvalidExpression, says: "position 11"},
		{source: `"é" & "unclosed`, code: fault.InvalidExpression, says: "position"},
		{source: `null + 1`, code: fault.ExpressionEvaluationFailed, says: "T2002"},
		{source: `-{"a":1}`, code: fault.ExpressionEvaluationFailed, says: "got an object"},
		{source: strings.Repeat(" ", maxSource) + "1", code: fault.InvalidExpression, says: "limit"},
		{source: `$match(s, /(?=x)/)`, code: fault.InvalidExpression, says: "RE2"},
		{source: `$match(s, /(x)\1/)`, code: fault.InvalidExpression, says: "position 10"},
		{source: `$match(s, /x{2000}/)`, code: fault.InvalidExpression, says: "repetitions"},
		{source: `$match(s, /(x{90}y{90}){9}(x{90}y{90}){9}(x{90}y{90}){9}(x{90}y{90}){9}/)`, code: fault.InvalidExpression, says: "too large"},
		{source: `"a" + 1`, code: fault.ExpressionEvaluationFailed, says: "T2001"},
		{source: `1 ~> $string & "x"`, code: fault.ExpressionEvaluationFailed, says: "T2006"},
		{source: `1 ~> {"a": 1}`, code: fault.ExpressionEvaluationFailed, says: "T2006"},
		{source: `"a" ~> {"pattern": "a"}`, code: fault.ExpressionEvaluationFailed, says: "T2006"},
		{source: `"a" ~> (1; {"pattern": "a"})`, code: fault.ExpressionEvaluationFailed, says: "T2006"},
		{source: `$error("stop")`, code: fault.ExpressionEvaluationFailed, says: "stop"},
		{source: `s`, code: fault.ExpressionOutputTooLarge, says: "16000"},
		{source: `s`, code: fault.ExpressionEvaluationFailed, says: "input", lim: Limits{MaxInputBytes: 1000}},
		{source: `$eval("1")`, code: fault.DisallowedExpressionFunction, says: "$eval"},
		{source: `$random()`, code: fault.DisallowedExpressionFunction, says: "$random"},
		{source: `$now()`, code: fault.DisallowedExpressionFunction, says: "$now"},
		{source: `$millis()`, code: fault.DisallowedExpressionFunction, says: "$millis"},
		{source: `$shuffle([1,2])`, code: fault.DisallowedExpressionFunction, says: "$shuffle"},
		{source: `($e := $eval; $e("1"))`, code: fault.DisallowedExpressionFunction, says: "$eval"},
		{source: `"1" ~> $eval`, code: fault.DisallowedExpressionFunction, says: "$eval"},
		{source: `$map(["1"], $eval)`, code: fault.DisallowedExpressionFunction, says: "$eval"},
		{source: `($f := $eval ~> $string; $f("1"))`, code: fault.DisallowedExpressionFunction, says: "$eval"},
		{source: `["1"].$eval($)`, code: fault.DisallowedExpressionFunction, says: "$eval"},
		{source: `($f := function($x){ $f($x) }; $f(1))`, code: fault.ExpressionTimeout, says: "5ms", lim: Limits{Timeout: 5 * time.Millisecond}},
	} {
		_, err := eval(t, c.source, big, c.lim)
		if !fault.Is(err, c.code) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.60s: got %v, want %s with %q", c.source, err, c.code, c.says)
		}
	}
}

// Ensure a text that names a forbidden function is only a text.
func TestForbiddenNamesInText(t *testing.T) {
	got, err := eval(t, `"call $now() and $eval(1)"`, Undefined(), Limits{})
	if err != nil || got != `"call $now() and $eval(1)"` {
		t.Errorf("got %s, %v", got, err)
	}
}

// Ensure a cancelled caller gets cancelled, before and during an evaluation.
func TestCancelled(t *testing.T) {
	e, err := Compile(`($f := function($x){ $f($x) }; $f(1))`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(5*time.Millisecond, cancel)
	if _, err := e.Eval(ctx, Undefined(), Limits{Timeout: 20 * time.Second}); !fault.Is(err, fault.Cancelled) {
		t.Errorf("during: got %v", err)
	}
	if _, err := e.Eval(ctx, Undefined(), Limits{}); !fault.Is(err, fault.Cancelled) || !errors.Is(err, context.Canceled) {
		t.Errorf("before: got %v", err)
	}
	waitForAbandoned(t)
}

// Ensure the operators of an expression are ours: with an engine whose syntax
// tree looks different, this fails.
func TestOperatorsAreBounded(t *testing.T) {
	for _, source := range []string{
		`"" & $reduce([1..23], function($a,$i){ $a & $a }, "x")`,
		`[1..300000]`,
		`$reduce([1..19], function($a,$i){ [$a,$a] }, [1])`,
		`$reduce([1..19], function($a,$i){ {"a":$a,"b":$a} }, 1)`,
	} {
		_, err := eval(t, source, Undefined(), relaxed)
		if !fault.Is(err, fault.ExpressionEvaluationFailed) || !strings.Contains(err.Error(), "limit") && !strings.Contains(err.Error(), "more than") {
			t.Errorf("%s: got %v", source, err)
		}
	}
}

// Ensure a body of hundreds of KB can be worked on within the deadline.
func TestLargeInput(t *testing.T) {
	var lines strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&lines, `<a class=\"card\" href=\"/c/%d\">Card number %d of the board</a>\n`, i, i)
	}
	input := decode(t, `{"body":"`+lines.String()+`"}`)
	if input.size < 200_000 {
		t.Fatalf("the input has only %d bytes", input.size)
	}
	lim := Limits{Timeout: 10 * time.Second} // a slow machine is no failure
	for source, want := range map[string]string{
		`$count($match(body, /<a [^>]*href="([^"]+)"[^>]*>(.*?)<\/a>/))`:                     `4000`,
		`$count($split(body, "\n"))`:                                                         `4001`,
		`$count($split(body, "\n")[$contains($, "number 7")])`:                               `111`,
		`$length($replace(body, /<[^>]+>/, ""))`:                                             `118890`,
		`$count($map($split(body, "\n"), function($l){ {"line": $substring($l, 0, 5)} }))`:   `4001`,
		`$substringBefore($substringAfter(body, "/c/3999\">"), " of")`:                       `"Card number 3999"`,
		`$count($distinct($split(body, " ")))`:                                               `8007`,
		`$length($reduce($split(body, "\n")[[0..199]], function($a, $l){ $a & $l }, ""))`:    `12180`,
		`$count($reduce($split(body, "\n")[[0..199]], function($a, $l){ $append($a, $l) }))`: `200`,
	} {
		got, err := eval(t, source, input, lim)
		if got != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", source, got, err, want)
		}
	}
}

// Ensure one Expression and one Value serve many goroutines, and Compile gives
// the same Expression for the same source.
func TestConcurrentUse(t *testing.T) {
	input := decode(t, benchInput())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				got, err := eval(t, benchSource, input, Limits{Timeout: 20 * time.Second})
				if err != nil || !strings.HasPrefix(got, `[{"title":"Card 1","n":11}`) {
					t.Errorf("got %.80s, %v", got, err)
				}
				if _, err := eval(t, `records ~> |$|{"v": 0}, "title"|`, input, relaxed); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	a, _ := Compile(benchSource)
	if b, _ := Compile(benchSource); a != b {
		t.Error("the cache gives another expression for the same source")
	}
}

// Ensure the cache forgets instead of growing without end.
func TestCacheIsBounded(t *testing.T) {
	c := cache[int]{limit: 100}
	for i := range 50 {
		if _, err := c.get(fmt.Sprintf("source %03d", i), func() (int, error) { return i, nil }); err != nil {
			t.Fatal(err)
		}
		if c.bytes > c.limit || len(c.entries) > 10 {
			t.Fatalf("%d bytes in %d entries", c.bytes, len(c.entries))
		}
	}
	failing := errors.New("no")
	if _, err := c.get("other", func() (int, error) { return 0, failing }); err != failing {
		t.Errorf("got %v", err)
	}
	if v, err := c.get("other", func() (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Errorf("a failure was cached: %v, %v", v, err)
	}
}

// Ensure JavaScript's regular expressions mean the same in RE2's notation.
func TestTranslate(t *testing.T) {
	for _, c := range []struct {
		source, text string
		want         bool
	}{
		{`^\s$`, "\u00a0", true}, {`^[\s]$`, "\ufeff", true}, {`^\S$`, "\u2003", false}, {`^[\S]$`, "\u200b", true},
		{`^[^\S]$`, " ", true}, {`^.$`, "\r", false}, {`^.$`, "\u2028", false}, {`^[.]$`, "x", false},
		{`^\u00e9$`, "é", true}, {`^\x41$`, "A", true}, {`^[[]$`, "[", true}, {`^[^]$`, "\n", true}, {`[]`, "a", false},
		{`^[\b]$`, "\b", true}, {`\bx`, "-x", true}, {`^\0$`, "\x00", true}, {`^\cJ$`, "\n", true}, {`^\z$`, "z", true},
		{`^\/\-\.$`, "/-.", true}, {`^(?:a|b)+?$`, "ab", true}, {`^[a-f\d]$`, "7", true}, {`^\u12$`, "u12", true},
	} {
		p, err := compilePattern(translate(c.source), "")
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		if got := p.MatchString(c.text); got != c.want {
			t.Errorf("/%s/ on %q: got %v", c.source, c.text, got)
		}
	}
}

// Ensure that a limit of $replace and $split counts however large it is, and that what is too long is an
// error with a limit too.
func TestLimitArguments(t *testing.T) {
	lines := decode(t, `{"s":"`+strings.Repeat(`a\n`, 300_000)+`"}`)
	for _, c := range []struct {
		source, want string
		lim          Limits
	}{
		{`$length($replace(s, "a", "", 1000000))`, `300000`, Limits{}},
		{`$length($replace(s, "a", "", 299999))`, `300001`, Limits{}},
		{`$count($split(s, "\n", 300000))`, `300000`, Limits{LargeInput: true}},
		{`$count($split(s, "\n", 1e300))`, `300001`, Limits{LargeInput: true}},
		{`$split(s, "\n", 300000)`, ``, Limits{}},
		{`$split(s, "\n", 2)`, `["a","a"]`, Limits{}},
		{`$split("abc", "", 2)`, `["a","b"]`, Limits{}},
		{`$split("abc", "", 9)`, `["a","b","c"]`, Limits{}},
		{`$split("abc", "")`, `["a","b","c"]`, Limits{}},
		{`$split("", "")`, `[]`, Limits{}},
		{`$split("a,b", ",", 1.9)`, `["a"]`, Limits{}},
		{`$split("a,b", ",", 0)`, `[]`, Limits{}},
	} {
		got, err := eval(t, c.source, lines, c.lim)
		if got != c.want || (err != nil) != (c.want == "") || err != nil && !errors.Is(err, ErrLimit) {
			t.Errorf("%s: got %.100s, %v", c.source, got, err)
		}
	}
}
