package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

const (
	readFile     = "storage.read_file"
	listFiles    = "storage.list"
	importBundle = "storage.import_bundle"

	// casesFolder is where the chain's own map lies.
	casesFolder = "scopes/public/sites/127.0.0.1/cases/"
)

// storageCases need the host's storage folder, with the chain's map in it.
func storageCases() []Case {
	return []Case{
		{Name: readFile + "/reads what the page's map declares and nothing else", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(readFile, `{"id":"case-skill"}`)
			p.is(out, "path", `"`+casesFolder+`SKILL.md"`)
			p.is(out, "relative_path", `"SKILL.md"`)
			p.is(out, "front_matter.title", `"Cases"`)
			p.is(out, "truncated", `false`)
			p.is(p.ok(readFile, `{"path":"`+casesFolder+`SKILL.md","max_bytes":3}`), "text", `"---"`)
			p.fails(readFile, `{"path":"`+casesFolder+`actions.json"}`, fault.StorageFileNotFound)
			p.fails(readFile, `{"path":"../settings.json"}`, fault.StorageFilePathUnauthorized)
			p.fails(readFile, `{}`, fault.InvalidInput)
			p.fails(readFile, `{"id":"case-skill","max_bytes":256001}`, fault.InvalidInput)
		}},
		{Name: listFiles + "/lists files and knows maps from evidence", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(listFiles, `{}`)
			p.is(out, "maps", `["`+casesFolder+`actions.json"]`)
			p.is(out, "paths.0", `"`+casesFolder+`SKILL.md"`)
			p.is(out, "paths.2", `"`+casesFolder+`proof/p/actions.json"`)
		}},
		{Name: importBundle + "/merges all of a bundle or nothing", HTML: `<p>x</p>`, Run: func(p *Page) {
			bundle := func(entries string) string {
				return `{"bundle":{"protocol":"actions.json.storage.bundle","version":1,"synced_at_ms":1,"entries":[` + entries + `]}}`
			}
			before := p.ok(listFiles, `{}`).at("entry_count")
			good := `{"path":"sites/other.test/page/notes.md","text":"notes","modified_at_ms":1}`
			p.fails(importBundle, bundle(good+`,{"path":"scopes/private/../../x","text":"x"}`), fault.StorageFilePathUnauthorized)
			p.fails(importBundle, bundle(good+`,{"path":"sites/other.test/page/actions.json","text":"{"}`), fault.InvalidMap)
			if now := p.ok(listFiles, `{}`).at("entry_count"); now != before {
				p.Errorf("refused bundles left %v files, there were %v", now, before)
			}
			p.is(p.ok(importBundle, bundle(good)), "updated_count", `1`)
			out := p.ok(importBundle, bundle(good))
			p.is(out, "preserved_count", `1`)
			p.is(out, "merged", `true`)
			p.fails(importBundle, `{"bundle":{"protocol":"other","version":1,"entries":[]}}`, fault.InvalidInput)
		}},
	}
}
