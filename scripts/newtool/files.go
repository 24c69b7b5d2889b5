package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed templates
var sources embed.FS

var templates = template.Must(template.ParseFS(sources, "templates/*.tmpl"))

// insertion puts a line into a file, before the first match of a mark behind the begin of a table.
type insertion struct {
	file, begin, mark, line string
}

// files returns the text of every file that the tool adds or changes, by its place.
func (t *tool) files(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	handler := "handler.go.tmpl"
	if t.Route == "page" {
		handler = "page.ts.tmpl"
	}
	for name, source := range map[string]string{t.record(): "record.json.tmpl", t.Handler: handler, t.Cases: "cases.go.tmpl"} {
		var text bytes.Buffer
		if err := templates.ExecuteTemplate(&text, source, t); err != nil {
			return nil, err
		}
		files[name] = text.Bytes()
	}
	for _, i := range t.insertions() {
		text := files[i.file]
		if text == nil {
			var err error
			if text, err = os.ReadFile(filepath.Join(root, i.file)); err != nil {
				return nil, err
			}
		}
		text, err := i.into(string(text))
		if err != nil {
			return nil, err
		}
		files[i.file] = text
	}
	return files, nil
}

// into returns the file's text with the line.
func (i insertion) into(text string) ([]byte, error) {
	head, rest, found := strings.Cut(text, i.begin)
	at := strings.Index(rest, i.mark)
	if !found || at < 0 {
		return nil, fmt.Errorf("%s has no table that begins with %q any more", i.file, strings.TrimSpace(i.begin))
	}
	whole := []byte(head + i.begin + rest[:at] + i.line + rest[at:])
	if strings.HasSuffix(i.file, ".go") {
		return format.Source(whole)
	}
	return whole, nil
}

// insertions are the lines of the tool in the tables of its route and of the cases.
func (t *tool) insertions() []insertion {
	const cases = "test/conformance/conformance.go"
	inHost := insertion{cases, "\nfunc HostCases() ", "\t)\n", "\t\t" + t.GoFunc + "Cases(),\n"}
	switch t.Route {
	case "page":
		const run = "extension/src/page/run.ts"
		module := strings.TrimSuffix(strings.TrimPrefix(t.Handler, "extension/src/page/"), ".ts")
		return []insertion{
			{run, "\nimport ", "\nimport { focusElement }", fmt.Sprintf("\nimport { %s } from \"./%s\";", t.TSFunc, module)},
			{run, "\nconst HANDLERS:", "};\n", fmt.Sprintf("  %q: %s,\n", t.Name, t.TSFunc)},
			{cases, "\nfunc Cases() ", "\t)\n", "\t\t" + t.GoFunc + "Cases(),\n"},
		}
	case "host":
		line := fmt.Sprintf("\n\t\t%q: s.%s,\n", t.Name, t.GoFunc)
		return []insertion{{"pkg/session/session.go", "\nfunc (s *Sessions) Handlers() ", "\t}\n", line}, inHost}
	default:
		line := fmt.Sprintf("\t\t\t%q: h.%s,\n", t.Name, t.GoFunc)
		return []insertion{{"pkg/browser/primitives/primitives.go", "\nfunc (h *Handlers) Registry() ", "\t\t},\n", line}, inHost}
	}
}
