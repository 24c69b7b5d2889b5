package lint

import "testing"

func TestBrokenSelectors(t *testing.T) {
	// Ensure that selectors which browsers parse pass, that those are told which none parses, and why in few words.
	for _, good := range []string{
		"#order", ".teas li[data-tea='Da Hong Pao'] button", "a[href^=\"/p\" i]", "div > p + q ~ r", ":is(a, b):not(.c)", "li:nth-child(2n + 1 of .x)",
		"svg|a", "[xlink|href]", "*|*", `#\31 23`, "a::before", "input:first-child", "li:first-of-type", ":has(> img)", "p:where(:hover, :focus-within)",
		"[data-x=abc]", "[data-x=--y]", "[a=ü]", "button:not([disabled])", "x-tea:host-context(.a)", "[title='a,b]']", "tr:nth-of-type(3) td:last-child", ":root",
	} {
		if wrong := brokenSelector(good); wrong != "" {
			t.Errorf("%s: %s", good, wrong)
		}
	}
	for bad, want := range map[string]string{
		"div[[": `"]" is missing`, "div]": `"]" closes nothing`, "a[title='x": "a quote is not closed", "": "it is empty", " ": "it is empty", "a,": "nothing stands beside a comma",
		",a": "nothing stands beside a comma", "> a": `it begins with ">"`, "a >": `it ends with ">"`, "[data-x=1]": "[data-x=1] names no attribute, or its value needs quotes",
		"[=x]": "[=x] names no attribute, or its value needs quotes", "#1a": `a name cannot begin with a digit, as after "#"`, "button:contains('Order')": ":contains is no pseudo-class of CSS",
		"li:eq(2)": ":eq is no pseudo-class of CSS", "a:visible": ":visible is no pseudo-class of CSS", ":has-text(\"x\")": ":has-text is no pseudo-class of CSS", "a(": `")" is missing`,
		"li:first a": ":first is no pseudo-class of CSS",
	} {
		if got := brokenSelector(bad); got != want {
			t.Errorf("%s: %q, not %q", bad, got, want)
		}
	}
}
