package logview

import (
	"regexp"
	"strings"
	"testing"
)

func TestEscaping(t *testing.T) {
	// Ensure that what any action gives is escaped, in every branch and in named templates, and that markup alone stays.
	page := escaping("page", `{{.A}}|{{if .B}}{{.A}}{{else}}x{{end}}|{{if .C}}x{{else}}{{.A}}{{end}}|`+
		`{{range .L}}{{.}}{{else}}x{{end}}|{{range .C}}x{{else}}{{.A}}{{end}}|{{with .A}}{{.}}{{end}}|{{with .C}}x{{else}}{{$.A}}{{end}}|`+
		`{{$v := .A}}{{$v}}|{{printf "%s" .A}}|{{.Style}}|{{template "inner" .A}}{{define "inner"}}{{.}}{{end}}`)
	const hostile, safe = "<a b=\"'\x00&+\">", "&lt;a b=&#34;&#39;\uFFFD&amp;&#43;&#34;&gt;"
	var out strings.Builder
	if err := page.Execute(&out, map[string]any{"A": hostile, "B": true, "C": nil, "L": []string{hostile}, "Style": markup("a>b{}")}); err != nil {
		t.Fatal(err)
	}
	for i, part := range strings.Split(out.String(), "|") {
		want := safe
		if i == 9 {
			want = "a>b{}"
		}
		if part != want {
			t.Errorf("place %d holds %q", i, part)
		}
	}
}

func TestActionsStandWhereEscapingHelps(t *testing.T) {
	// Ensure that the report's actions stand between tags and in quoted attributes that hold no address, script or style, since they are escaped for no other place.
	inTag := regexp.MustCompile(`<[a-z][^<>]*>`)
	quoted := regexp.MustCompile(`([a-z-]+)="([^"]*)"`)
	plain := regexp.MustCompile(`\{\{[^}]*\}\}`)
	// The quotes within an action are none of the page's.
	text := plain.ReplaceAllStringFunc(reportHTML, func(action string) string { return strings.ReplaceAll(action, `"`, "`") })
	for _, tag := range inTag.FindAllString(text, -1) {
		if strings.Contains(quoted.ReplaceAllString(tag, ""), "{{") {
			t.Errorf("an action outside of quotes: %s", tag)
		}
		for _, a := range quoted.FindAllStringSubmatch(tag, -1) {
			name, value := a[1], a[2]
			address := name == "href" || name == "src" || name == "action"
			if strings.Contains(value, "{{") && (name == "style" || strings.HasPrefix(name, "on") || address && value != "#r{{.Seq}}") {
				t.Errorf("an action in %s=%q", name, value)
			}
		}
	}
	if strings.Contains(text, "<script") || strings.Count(text, "<style>") != 1 || !strings.Contains(text, "<style>{{.CSS}}</style>") {
		t.Error("there is a script, or a style that is not the report's own")
	}
}
