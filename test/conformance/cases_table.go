package conformance

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func tableCases() []Case {
	const read = "page.table"
	return []Case{
		{Name: read + "/gives rows by header", HTML: `<table><caption>Tea</caption><thead><tr><th>Name<th>Price<th></thead>
			<tr><th scope=row>Oolong<td>7 <b>€</b><td><button>Buy</button><tr hidden><td>Gone<td>1<td><tr><th scope=row>Sencha<td>5 €<td><table><tr><td>inner</table></table>`, Run: func(p *Page) {
			out := p.ok(read, `{"locator":{"selector":"table"  ,"nth":0}}`)
			p.is(out, "name", `"Tea"`)
			p.is(out, "headers", `["Name","Price","column 3"]`)
			p.is(out, "rows", `[{"Name":"Oolong","Price":"7 €","column 3":"Buy"},{"Name":"Sencha","Price":"5 €","column 3":"inner"}]`)
			p.is(out, "truncated", `false`)
			p.is(p.ok(read, `{"locator":{"text":"Buy"}}`), "row_count", `2`) // the table around it
			p.fails(read, `{}`, fault.MultipleTargets)
		}},
		{Name: read + "/puts a merged cell where it is drawn", HTML: `<table><tr><th rowspan=2>Name<th colspan=2>Price<tr><th>old<th>new
			<tr><td rowspan=2>Tea<td>1<td>2<tr><td colspan=2>free<tr><td rowspan=0>Last<td colspan=5000>wide</table>`, Run: func(p *Page) {
			out := p.ok(read, `{}`)
			p.is(out, "headers", `["Name","Price / old","Price / new"]`)
			p.is(out, "rows.0", `{"Name":"Tea","Price / old":"1","Price / new":"2"}`)
			p.is(out, "rows.1", `{"Name":"Tea","Price / old":"free","Price / new":"free"}`)
			p.is(out, "rows.2.Price / new", `"wide"`)
			p.is(out, "rows.2.Name", `"Last"`)
			p.is(out, "row_count", `3`)
			p.eval(`$("table").innerHTML = ("<tr>" + "<td rowspan=1000 colspan=100>x".repeat(3)).repeat(10)`)
			p.is(p.ok(read, `{}`), "row_count", `10`)
		}},
		{Name: read + "/reads a table without headers, and says where there is none", HTML: `<table id=t><tr><td>a<td>b<tr><td>c</table><table id=none></table><p>x</p>`, Run: func(p *Page) {
			out := p.ok(read, `{"locator":{"selector":"#t"}}`)
			p.is(out, "headers", `null`)
			p.is(out, "rows", `[["a","b"],["c"]]`)
			p.is(p.ok(read, `{"locator":{"selector":"#none"},"offset":5}`), "rows", `[]`)
			p.fails(read, `{"locator":{"selector":"p"}}`, fault.TargetNotFound)
			p.eval(`document.querySelectorAll("table").forEach(t => t.remove())`)
			p.fails(read, `{}`, fault.TargetNotFound)
		}},
		{Name: read + "/reads grids that draw a part of their rows", HTML: `<div role=grid aria-label=People aria-rowcount=1001><div><div role=row aria-rowindex=1><span role=columnheader aria-colindex=1>Name</span></div>
			<div role=row aria-rowindex=8><span role=gridcell aria-colindex=1>Bo</span></div><div role=row aria-rowindex=7><span role=gridcell aria-colindex=1>Ada</span></div></div>
			<div><div role=row aria-rowindex=1><span role=columnheader aria-colindex=3>Age</span></div><div role=row aria-rowindex=7><span role=gridcell aria-colindex=3>36</span></div></div></div>`, Run: func(p *Page) {
			out := p.ok(read, `{"locator":{"role":"grid","name":"People"}}`)
			p.is(out, "headers", `["Name","column 2","Age"]`)
			p.is(out, "rows", `[{"Name":"Ada","column 2":"","Age":"36"},{"Name":"Bo"}]`)
			p.is(out, "total_rows", `1000`)
			p.is(out, "name", `"People"`)
		}},
		{Name: read + "/reads on with the arguments that it gives", HTML: `<table id=t><tr><th>n<th>text</table><script>
			for (let i = 0; i < 300; i++) $("#t").insertAdjacentHTML("beforeend", "<tr><td>" + i + "<td>" + "word ".repeat(10))</script>`, Run: func(p *Page) {
			args, rows := `{"locator":{"selector":"#t"}}`, 0
			for range 10 {
				out := p.ok(read, args)
				p.is(out, "row_count", `300`)
				list, _ := out.at("rows").([]any)
				rows += len(list)
				next, err := json.Marshal(out.at("next.arguments"))
				if err != nil {
					p.Fatal(err)
				}
				if raw, err := json.Marshal(out.value); err != nil || len(raw) > 8000 {
					p.Errorf("a page of %d bytes, %v", len(raw), err)
				}
				if args = string(next); out.at("truncated") == false {
					break
				}
			}
			if rows != 300 {
				p.Errorf("%d rows in all", rows)
			}
		}},
	}
}
