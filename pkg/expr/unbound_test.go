package expr

import (
	"strings"
	"testing"
)

func TestUnbound(t *testing.T) {
	// Ensure that only names are reported that neither the expression nor the language has.
	for source, want := range map[string]string{
		``: "", `input.tea`: "", `$uppercase(input.tea)`: "", `$uppercas(input.tea)`: "uppercas", `$x`: "x", `$x & $y & $x`: "x y",
		`($x := 1; $x + 1)`: "", `$map(input.teas, function($v, $i){ $v & $i })`: "", `function($v){ $v & $w }`: "w",
		`input.teas@$t.{"name": $t.name, "all": $$.input}`: "", `input.teas#$i.{"n": $i}`: "", `input.teas[$ = "oolong"]`: "",
		`$filter(input.teas, function($v){ $contains($v, $$.input.q) })`: "", `input ~> |teas|{"n": $count(x)}|`: "",
		`$sort(input.teas, function($l, $r){ $l.price > $r.price })`: "", `input.teas^(<price).{"p": $formatNumbr(price, "0")}`: "formatNumbr",
		`($f := function($n){ $n <= 1 ? 1 : $n * $f($n - 1) }; $f(5))`: "", `$exists(steps.find.output) ? $nope : 1`: "nope",
		`input.teas{kind: $sum(price), "x": $gone}`: "gone", `input.teas.$string()`: "", `[1..$len]`: "len", `$map(input.a, $undefinedFn)`: "undefinedFn",
	} {
		got, err := Unbound(source)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v", source, got, err)
		}
	}
	if _, err := Unbound("input.("); err == nil {
		t.Error("a broken expression has no error")
	}
}
