package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const uploadTo = "locator.upload_file"

// put writes a file below the permitted folder and returns its path as JSON.
func (p *Page) put(name string, data []byte) string {
	p.Helper()
	path := filepath.Join(p.host().Uploads, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		p.Fatal(err)
	}
	quoted, err := json.Marshal(path)
	if err != nil {
		p.Fatal(err)
	}
	return string(quoted)
}

// behindButtons are buttons with one file field beside them, in their form, and elsewhere in the page.
const behindButtons = `<div><button id=beside>Add</button><input type=file id=a hidden></div>
	<form><p><button id=inForm>Add</button></p><input type=file id=b style="opacity:0;position:absolute"></form>
	<p><button id=opens>Add</button></p><p><b id=late style="cursor:pointer">Later</b></p><input type=file id=c hidden><input type=file id=d hidden><script>
	for (const field of document.querySelectorAll("input")) field.onchange = () => log.push(field.id + " " + field.files[0].name);
	$("#opens").onclick = () => { log.push("pressed"); $("#c").click() };
	$("#late").onclick = () => { log.push("pressed"); setTimeout(() => $("#d").click(), 100) }</script>`

func actUploadCases() []Case {
	return []Case{
		// (C25)
		{Name: uploadTo + "/gives the page a file with its name, type, size and content", HTML: `<input id=f type=file hidden><label for=f>Upload</label><script>record($("#f"),"input","change")
			$("#f").addEventListener("change", async () => { const [file] = $("#f").files; log.push([file.name, file.type, file.size, await file.slice(0, 5).text()]) })</script>`, Run: func(p *Page) {
			path := p.put("note.txt", []byte("hello tea"))
			out := p.ok(uploadTo, `{"locator":{"selector":"#f"},"path":`+path+`}`)
			p.is(out, "verified", `true`)
			p.is(out, "files", `[{"name":"note.txt","size":9}]`)
			p.settles(`log`, `["input","change",["note.txt","text/plain",9,"hello"]]`)
			p.is(p.ok(uploadTo, `{"locator":{"selector":"label"},"path":`+path+`}`), "drop_zone", `false`)
		}},
		{Name: uploadTo + "/brings large files whole, several at once", HTML: `<input id=f type=file multiple>`, Run: func(p *Page) {
			data := bytes.Repeat([]byte("0123456789abcdef"), 80_000)
			a, b := p.put("a.bin", data), p.put("sub/b.bin", nil)
			p.is(p.ok(uploadTo, fmt.Sprintf(`{"locator":{"selector":"#f"},"paths":[%s,%s]}`, a, b)), "verified", `true`)
			p.page(`$("#f").files[0].text().then(t => [t.length, t === "0123456789abcdef".repeat(80000), $("#f").files[1].size])`, `[1280000,true,0]`)
		}},
		{Name: uploadTo + "/drops files on a zone", HTML: `<div id=z style="width:200px;height:100px;border:1px solid">drop</div><div id=no>no</div><script>
			for (const t of ["dragenter","dragover","drop"]) $("#z").addEventListener(t, e => { e.preventDefault(); log.push(t); if (t === "drop") log.push(e.dataTransfer.files[0].name, e.dataTransfer.types) })</script>`, Run: func(p *Page) {
			path := p.put("note.txt", []byte("x"))
			p.is(p.ok(uploadTo, `{"locator":{"selector":"#z"},"path":`+path+`}`), "drop_zone", `true`)
			p.page(`log`, `["dragenter","dragover","drop","note.txt",["Files"]]`)
			p.fails(uploadTo, `{"locator":{"selector":"#no"},"path":`+path+`}`, fault.ValueNotApplied)
		}},
		// Pages keep the browser from opening dropped files by handlers of the whole document, which use none of them.
		{Name: uploadTo + "/does not take a document that prevents every drop for a zone", HTML: `<div id=z style="width:200px;height:100px">not a zone</div><script>
			for (const at of [document, document.body]) for (const t of ["dragover","drop"]) at.addEventListener(t, e => { e.preventDefault(); log.push(t) })</script>`, Run: func(p *Page) {
			out := p.ok(uploadTo, `{"locator":{"selector":"#z"},"path":`+p.put("note.txt", []byte("x"))+`}`)
			p.is(out, "verified", `null`)
			p.page(`log.length`, `4`)
		}},
		{Name: uploadTo + "/finds the hidden file field behind a button", HTML: behindButtons, Run: func(p *Page) {
			path := p.put("note.txt", []byte("x"))
			for _, id := range []string{"beside", "inForm", "opens", "late"} {
				p.is(p.ok(uploadTo, `{"locator":{"selector":"#`+id+`"},"path":`+path+`}`), "verified", `true`)
			}
			p.page(`log`, `["a note.txt","b note.txt","pressed","c note.txt","pressed","d note.txt"]`)
		}},
		{Name: uploadTo + "/names the hidden file fields where it is not clear which", HTML: `<div><button id=two onclick="log.push('pressed')">Add</button><input type=file id=a hidden><input type=file name=b hidden></div><form action="/gone"><input type=file id=c hidden><input type=file hidden><input type=hidden name=id><input type=hidden name=localName><input type=hidden name=parentElement><button id=send>Send</button></form><a id=link href="/gone">Go</a>`, Run: func(p *Page) {
			path := p.put("note.txt", []byte("x"))
			out := p.fails(uploadTo, `{"locator":{"selector":"#two"},"path":`+path+`}`, fault.ValueNotApplied)
			p.is(out, "file_inputs", `["#a","input[type=file][name=\"b\"]","#c","html > body > form > input:nth-of-type(2)"]`)
			p.fails(uploadTo, `{"locator":{"selector":"#send"},"path":`+path+`}`, fault.ValueNotApplied)
			p.fails(uploadTo, `{"locator":{"selector":"#link"},"path":`+path+`}`, fault.ValueNotApplied)
			p.page(`[log, [...document.querySelectorAll("input[type=file]")].map(f => f.files.length)]`, `[["pressed"],[0,0,0,0]]`)
		}},
		{Name: uploadTo + "/refuses files outside of the permitted folders", HTML: `<input id=f type=file>`, Run: func(p *Page) {
			path, uploads := p.put("ok.txt", []byte("x")), p.host().Uploads
			secret := filepath.Join(filepath.Dir(uploads), "secret.txt")
			if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
				p.Fatal(err)
			}
			link := filepath.Join(uploads, "link.txt")
			if err := os.Symlink(secret, link); err != nil && !os.IsExist(err) {
				p.Fatal(err)
			}
			for _, bad := range []string{"/etc/passwd", secret, link, filepath.Join(uploads, "..", "secret.txt"), "/no/such/file", uploads} {
				p.refuses(uploadTo, fmt.Sprintf(`{"locator":{"selector":"#f"},"path":%q}`, bad), fault.FileNotPermitted)
			}
			p.refuses(uploadTo, fmt.Sprintf(`{"locator":{"selector":"#f"},"path":%q}`, filepath.Join(uploads, "none.txt")), fault.FileNotFound)
			p.refuses(uploadTo, `{"locator":{"selector":"#f"},"path":"ok.txt"}`, fault.InvalidInput)
			p.refuses(uploadTo, `{"locator":{"selector":"#f"}}`, fault.InvalidInput)
			p.refuses(uploadTo, fmt.Sprintf(`{"locator":{"selector":"#f"},"paths":[%s,%s]}`, path, path), fault.InvalidInput)
			big := p.put("big.bin", make([]byte, 17<<20))
			p.refuses(uploadTo, `{"locator":{"selector":"#f"},"path":`+big+`}`, fault.PayloadTooLarge)
			p.page(`$("#f").files.length`, `0`)
		}},
	}
}
