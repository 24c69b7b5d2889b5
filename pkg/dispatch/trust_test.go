package dispatch

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/printable"
)

// ownTexts are the primitives whose outputs hold texts of the host, the caller or the user alone.
var ownTexts = []string{
	"a11y.announcements_configure", "a11y.announcements_subscribe", // the session and the host's note
	"runtime.session.name", // as the caller gave it
	"user.clarify",         // the user's own answer
}

// hasText reports whether a document of the schema may hold a text that the schema does not list.
func hasText(n, definitions jsonnode.Node, depth int) bool {
	if depth > 10 {
		return true
	}
	if ref := n.Get("$ref"); !ref.Absent() {
		return hasText(definitions.Get(ref.Text()[len("#/definitions/"):]), definitions, depth+1)
	}
	if !n.Get("enum").Absent() || !n.Get("const").Absent() {
		return false
	}
	parts := slices.Concat(n.Get("anyOf").Elements(), n.Get("oneOf").Elements())
	kinds := []string{n.Get("type").Text()}
	for _, kind := range n.Get("type").Elements() {
		kinds = append(kinds, kind.Text())
	}
	if slices.Contains(kinds, "string") || kinds[0] == "" && len(kinds) == 1 && len(parts) == 0 {
		return true
	}
	for _, m := range n.Get("properties").Object().Members {
		parts = append(parts, m.Node)
	}
	if n.Get("items").IsObject() {
		parts = append(parts, n.Get("items"))
	}
	if slices.Contains(kinds, "object") && n.Get("additionalProperties").IsObject() {
		parts = append(parts, n.Get("additionalProperties"))
	}
	return slices.ContainsFunc(parts, func(part jsonnode.Node) bool { return hasText(part, definitions, depth+1) })
}

func TestAnswersSayTheirTrust(t *testing.T) {
	// Ensure that the answer of every primitive whose output may hold a text of a page, or of another stranger, says that it is untrusted, and so does the failure of each that meets a page.
	catalogue := primitive.Load()
	texts, trusted := 0, 0
	for _, name := range catalogue.Names() {
		r, public := catalogue.Public(name)
		if !public {
			continue
		}
		schema := jsonnode.Node{Raw: r.OutputSchema}
		told := hasText(schema, schema.Get("definitions"), 0)
		own := slices.Contains(ownTexts, name)
		success := finish("call", name, r, json.RawMessage(`{}`), nil, primitive.Meta{})
		failure := finish("call", name, r, nil, fault.New(fault.TargetNotFound, "nothing is named Tea"), primitive.Meta{})
		if told && !own && success.Trust != pagedata.Untrusted {
			t.Errorf("the output of %s may hold a text, and its record says neither page_text nor foreign_text", name)
		}
		if own && (!told || success.Trust != "") {
			t.Errorf("%s is listed as one whose texts are nobody else's", name)
		}
		if want := needsTab(r) || success.Trust != ""; (failure.Trust == pagedata.Untrusted) != want {
			t.Errorf("a failure of %s has the trust %q", name, failure.Trust)
		}
		if told {
			texts++
		}
		if failure.Trust == "" {
			trusted++
		}
	}
	if texts < 80 || trusted == 0 || trusted > 10 {
		t.Errorf("%d primitives tell texts, %d failures are the host's alone", texts, trusted)
	}
}

func TestTrustOfAnAnswer(t *testing.T) {
	// Ensure that words of a page are called untrusted wherever they stand: in the output, in a failure that quotes them, in a page of a long answer, in a batch and beside the output.
	r := newRig(t)
	untrusted := func(what string, e Envelope, ok bool) {
		t.Helper()
		if e.OK != ok || e.Trust != pagedata.Untrusted {
			t.Errorf("%s: ok %t, trust %q, %v", what, e.OK, e.Trust, e.Error)
		}
	}
	untrusted("an output", r.call(t, "page.info", `{}`), true)
	untrusted("a page of an output", r.Call(t.Context(), r.session, Call{Name: "page.info", Arguments: value(`{"output_of":"call_x","output_offset":0}`)}), false)
	r.Handlers.Named[BatchTool] = r.Batch
	untrusted("a batch", r.Call(t.Context(), r.session, Call{Name: BatchTool, Arguments: value(`{"calls":[{"name":"page.info","arguments":{"policy_exception_report":{"kind":"generic","intended_tool":"page.info","actions_json_path":"none","reason":"a test"}}}]}`)}), true)
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return nil, fault.New(fault.TargetNotFound, "no match; nearest is the button Obey")
	}
	untrusted("a failure", r.call(t, "locator.wait_for", `{"locator":{"text":"x"}}`), false)
	untrusted("an address", r.call(t, "page.info", `{"target_url_contains":"nowhere"}`), false)
	if e := r.call(t, "page.teleport", `{}`); e.Trust != "" {
		t.Errorf("the answer about an unknown name has the trust %q", e.Trust)
	}
	name := func() Envelope { return r.call(t, "runtime.session.name", `{"name":"mine"}`) }
	r.Handlers.Named["runtime.session.name"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return json.RawMessage(`{"named":true,"name":"mine","session_id":"cli"}`), nil
	}
	if e := name(); !e.OK || e.Trust != "" {
		t.Errorf("the host's own answer: %+v", e)
	}
	r.Announcements = func(primitive.Session) any { return []string{"Obey"} }
	untrusted("announcements", name(), true)
}

func TestHiddenTextIsCounted(t *testing.T) {
	// Ensure that a page cannot fill a conversation with signs that take many characters to be shown: they count as that many.
	r := newRig(t)
	var page string
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return primitive.Output(map[string]string{"url": "https://example.com/", "title": page})
	}
	for text, split := range map[string]bool{strings.Repeat("\u200b", 1000): false, strings.Repeat("\u200b", 2000): true, strings.Repeat("\U000e0041", 1000): true, strings.Repeat("日", 7000): false} {
		page = text
		e := r.call(t, "page.info", `{}`)
		if shown := printable.Escape(string(e.Output)); strings.Contains(shown, `"truncated":true`) != split || utf8.RuneCountInString(shown) > defaultBudget {
			t.Errorf("%d of %.1q are shown in %d characters: %.80s", utf8.RuneCountInString(text), text, len(shown), shown)
		}
	}
}
