package expr

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	letters = `{"s":"` // followed by 400 × "a"
	laughs  = `$reduce([1..40], function($a,$i){{"l":$a,"r":$a}}, 1)`
)

// hostile are expressions that try to stop or to fill the host.
var hostile = []struct{ name, source, input string }{
	{"tail recursion", `( $f := function($x){$f($x)}; $f(1) )`, ""},
	{"deep recursion", `( $f := function($x){1 + $f($x+1)}; $f(1) )`, ""},
	{"mutual recursion", `( $f := function($x){1+$g($x)}; $g := function($x){1+$f($x)}; $f(1) )`, ""},
	{"range 10M", `$count([1..10000000])`, ""},
	{"range 1G", `$count([1..1000000000])`, ""},
	{"range mapped", `$map([1..8], function($i){$count([1..9999999])})`, ""},
	{"range in a path", `$count([1..10000].([1..10000]))`, ""},
	{"nested maps", `$sum($map([1..3000], function($i){ $sum($map([1..3000], function($j){$i*$j})) }))`, ""},
	{"cross filter", `$count([1..5000][$ in [1..5000]])`, ""},
	{"regex plus", `$match(s, /^(a+)+$/)`, letters},
	{"regex counted", `$match(s, /((a{0,1000}){0,1000}){0,1000}b/)`, letters},
	{"string doubling", `$length($reduce([1..40], function($a,$i){$a & $a}, "xxxxxxxxxxxxxxxx"))`, ""},
	{"pad", `$length($pad("", 2000000000, "xy"))`, ""},
	{"join", `$length($join([1..9999999].("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")))`, ""},
	{"join within the range", `$length($join([1..499999].("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")))`, ""},
	{"array doubling", `$count($reduce([1..40], function($a,$i){$append($a,$a)}, [1]))`, ""},
	{"laughs", laughs, ""},
	{"laughs as text", `$length($string(` + laughs + `))`, ""},
	{"replace growth", `$length($reduce([1..12], function($a,$i){$replace($a, /x/, "xxxxxxxxxx")}, "x"))`, ""},
	{"replace by references", `($s := $reduce([1..16], function($a,$i){$a & $a}, "xxxxxxxxxxxxxxxx"); $t := $reduce([1..18], function($a,$i){$a & $a}, "$0$0"); $length($replace($s, /x+/, $t)))`, ""},
	{"replace by empty references", `($s := $reduce([1..12], function($a,$i){$a & $a}, "xxxxxxxxxxxxxxxx"); $t := $reduce([1..19], function($a,$i){$a & $a}, "$1$1"); $length($replace($s, /x(y)?/, $t)))`, ""},
	{"sort", `$count($sort([1..300000], function($a,$b){$a<$b}))`, ""},
	{"descendants", `$count(**.**.**.**.**.**)`, strings.Repeat(`{"a":`, 10) + "1" + strings.Repeat("}", 10)},
	{"deep descendants", `$count(**)`, strings.Repeat("[", 9000) + strings.Repeat("]", 9000)},
	{"source (", strings.Repeat("(", 10_000), ""},
	{"source [", strings.Repeat("[", 10_000), ""},
	{"source ( closed", strings.Repeat("(", 8000) + "1" + strings.Repeat(")", 8000), ""},
	{"source [ closed", strings.Repeat("[", 8000) + "1" + strings.Repeat("]", 8000), ""},
	{"source ( 1M", strings.Repeat("(", 1_000_000), ""},
	{"source [ 1M", strings.Repeat("[", 1_000_000), ""},
	{"source -", strings.Repeat("-", 1_000_000) + "1", ""},
	{"source - 16 KB", strings.Repeat("-", 16_000) + "1", ""},
	{"source +1", "1" + strings.Repeat("+1", 300_000), ""},
	{"source +1 16 KB", "1" + strings.Repeat("+1", 8000), ""},
	{"source ?", strings.Repeat("false?0:", 100_000) + "1", ""},
	{"source ? 16 KB", strings.Repeat("false?0:", 2000) + "1", ""},
	{"source &", `"a"` + strings.Repeat(`&"a"`, 4000), ""},

	// Ways round single limits.
	{"array constructor", `$count($reduce([1..40], function($a,$i){[$a,$a]}, [1]))`, ""},
	{"nested constructor", `$reduce([1..40], function($a,$i){[[$a],[$a]]}, 1)`, ""},
	{"fields of many", `($o := {"k":[1..300000]}; $count([1..300000].($o).k))`, ""},
	{"fields of many, bound", `($o := {"k":[1..100000]}; $x := [1..100000].($o); $count($x.k))`, ""},
	{"descendants of many", `($o := [1..1000]; $x := [1..400].($o); $count([1..400].($x).**))`, ""},
	{"descendants of descendants", `$count(**.**.**)`, strings.Repeat(`{"a":`, 3000) + "1" + strings.Repeat("}", 3000)},
	{"equal laughs", `($a := ` + laughs + `; $a = $a)`, ""},
	{"descend into laughs", `$count((` + laughs + `).**)`, ""},
	{"laughs by map", `$reduce([1..40], function($a,$i){$map([1,2], function(){$a})}, 1)`, ""},
	{"laughs by zip", `$reduce([1..40], function($a,$i){$zip([$a],[$a])}, 1)`, ""},
	{"laughs by group", `$reduce([1..40], function($a,$i){[$a,$a]{"k":[[$]]}}, 1)`, ""},
	{"laughs by step", `$reduce([1..40], function($a,$i){"x".[[$a],[$a]]}, 1)`, ""},
	{"transform of many", `($o := [1..1000]; $x := [1..100000].{"a":$o}; $x ~> |$|{"b":1}|)`, ""},
	{"distinct objects", `$count($distinct([1..20000].{"a":$}))`, ""},
	{"composed functions", `($f := $reduce([1..100000], function($a,$i){$a ~> $trim}, $trim); $f("x"))`, ""},
	{"recursion in parentheses", `( $f := function($x){` + strings.Repeat("1+(", 900) + `$f($x)` + strings.Repeat(")", 900) + `}; $f(1) )`, ""},
	{"slow regex", `$match($reduce([1..12], function($a,$i){$a & $a}, "xxxxxxxxxxxxxxxx"), /(x{1,90}y|x{2,80}z)+|x/)`, ""},
	{"applied regex", `$reduce([1..18], function($a,$i){$a & $a}, "xxxxxxxxxxxxxxxx") ~> /(x{1,400}y|x{2,400}z|x{3,400}w)+$/`, ""},
	{"applied pattern of the data", `"x" ~> {"pattern": $join([1..3000].("a{1000}"))}`, ""},
	{"quadratic regex", `$count($match($reduce([1..14], function($a,$i){$a & $a}, "xxxxxxxxxxxxxxxx"), /x*y|x/))`, ""},
	{"concat objects", `$reduce([1..40], function($a,$i){$a & $string({"a":$a}) & $a}, "x")`, ""},
	{"keep many strings", `$count($map([1..1000], function($i){$reduce([1..14], function($a,$j){$a & $a}, "xxxxxxxxxxxxxxxx")}))`, ""},
	{"merge many", `($o := $merge([1..1000].{$string($):$}); $merge([1..400000].($o)))`, ""},
	{"spread many", `$count($spread($map([1..1000], function($i){$merge([1..100].{$string($):$})})))`, ""},
	{"base64 growth", `$length($reduce([1..60], function($a,$i){$base64encode($a)}, "xxxxxxxxxxxxxxxx"))`, ""},
	{"url growth", `$length($reduce([1..60], function($a,$i){$encodeUrlComponent($a & "%%%%")}, "%%%%"))`, ""},
	{"formatBase", `$formatBase(1e300, 2)`, ""},
	{"power", `$power(9, 1000000) + 9e307 * 1e10`, ""},
	{"lookup many", `($o := {"k":[1..1000]}; $x := $map([1..1000], function(){$o}); $count($lookup($x, "k")))`, ""},
	{"sift", `$sift($merge([1..300000].{$string($):$}), function($v){$v > 1})`, ""},
	{"formatNumber", `$formatNumber(1, $reduce([1..17], function($a,$i){$a & $a}, "0000000000000000"))`, ""},
	{"formatInteger", `$formatInteger(1e15, "w")`, ""},
	{"formatInteger, infinite", `$formatInteger($sum([1e308, 1e308]), "w")`, ""},
	{"Roman numerals", `$formatInteger(9e15, "I")`, ""},
	{"Roman numerals, small letters", `$formatInteger(-9e15, "i;o")`, ""},
	{"Roman years", `$length($fromMillis(9e18, $join([1..200].("[YI]"))))`, ""},
	{"width of a month", `$fromMillis(0, "[M01,99999999999]")`, ""},
	{"width of a day", `$fromMillis(0, "[D01, 9 9 9 9 9 9 9 9 9 9 9-*]")`, ""},
	{"widths", `$length($fromMillis(0, $join([1..142].("[M,999]"))))`, ""},
	{"wildcards", `*.*.*.*.*.*.*.*`, `{"a":[` + strings.Repeat(`{"b":[1,2,3]},`, 5000) + `1]}`},
	{"parents", `$count(a.b.%.b.%.b.%.b.%.b.%.b)`, `{"a":[` + strings.Repeat(`{"b":[1,2,3,4,5,6,7,8]},`, 50) + `1]}`},
	{"join operator", `$count(a@$x.a@$y.a@$z.a@$w)`, ``},
	{"positions", `$count(a#$x.$$.a#$y.$$.a#$z.$$.a)`, `{"a":[` + strings.Repeat(`1,`, 500) + `1]}`},
}

// Ensure no expression outlives its deadline for its caller, fills the memory or
// goes on for long after it was abandoned.
func TestHostileExpressions(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			text := h.input
			switch text {
			case "":
				text = "{}"
			case letters:
				text += strings.Repeat("a", 400) + `"}`
			}
			input, err := Decode(json.RawMessage(text))
			if err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			peak := watchMemory(t)
			began := time.Now()
			e, err := Compile(h.source)
			compiled := time.Since(began)
			var result Value
			if err == nil {
				result, err = e.Eval(context.Background(), input, Limits{})
			}
			took := time.Since(began)
			waitForAbandoned(t)
			t.Logf("compiled in %v, answered in %v, ended in %v, %d MB more: %.60s %.150v",
				compiled, took, time.Since(began), peak()>>20, result.JSON(), err)
			if took > defaultTimeout+20*time.Second { // a busy machine is late; this one hangs
				t.Errorf("the answer took %v", took)
			}
			if grown := peak(); grown > 64<<20 && !raceEnabled {
				t.Errorf("the memory grew by %d MB", grown>>20)
			}
			if err != nil && fault.From(err).Code == fault.InternalError {
				t.Errorf("the error has no code: %v", err)
			}
		})
	}
}

// waitForAbandoned waits until all work has ended: the tests after it may not find
// the limit of abandoned evaluations reached.
func waitForAbandoned(t *testing.T) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for abandoned.Load() > 0 {
		select {
		case <-limit:
			t.Fatal("the abandoned work does not end")
		case <-time.After(time.Millisecond):
		}
	}
}

// watchMemory records how far the memory in use grows until the test ends.
func watchMemory(t *testing.T) (peak func() uint64) {
	base := memoryInUse()
	var highest atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				if now := memoryInUse(); now > base+highest.Load() {
					highest.Store(now - base)
				}
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
	return highest.Load
}

// Ensure that after a few abandoned evaluations new ones are refused at once.
func TestAbandonedEvaluationsAreLimited(t *testing.T) {
	abandoned.Add(maxAbandoned)
	defer abandoned.Add(-maxAbandoned)
	e, err := Compile("1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Eval(context.Background(), Undefined(), Limits{}); !fault.Is(err, fault.ExpressionTimeout) || !errors.Is(err, ErrLimit) {
		t.Errorf("got %v, want expression_timeout", err)
	}
}
