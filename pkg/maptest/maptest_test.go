package maptest_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/maptest"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestMistakes(t *testing.T) {
	// Ensure that each mistake of a file is reported with its line, all of them at once, and that a file with one gives no cases.
	for _, row := range []struct {
		text string
		want []string // line and part of the message, in their order
	}{
		{``, []string{"1 no JSON value"}},
		{"{\n\"version\": 1,\n", []string{"3 ends before"}},
		{"{\n\"version\": 1,\n\"version\": 1}", []string{"3 stands twice"}},
		{`{"version":2,"cases":[]}`, []string{"1 ", "1 "}},
		{"{\"version\":1,\n\"casses\":[],\"cases\":[{\"name\":\"a\",\"page\":\"/\",\"action\":\"a\"}]}", []string{"2 "}},
		{"{\"version\":1,\"cases\":[{\n\"name\":\"a\",\"page\":\"/\",\n\"outptu\":1,\"action\":\"a\"},\n{\"page\":\"/\",\"action\":\"b\"}]}", []string{"3 ", "4 "}},
		{"{\"version\":1,\"cases\":[\n{\"name\":\"a\",\"page\":\"/\",\"action\":\"a\",\"output\":1,\"error\":\"x\"}]}", []string{"2 not both"}},
		{"{\"version\":1,\"cases\":[{\"name\":\"a\",\"page\":\"/\",\"action\":\"a\"},\n{\"name\":\"a\",\"page\":\"/\",\"action\":\"a\"}]}", []string{"2 same name"}},
		{"{\"version\":1,\"cases\":[{\"name\":\"a\",\"page\":\"/\",\"action\":\"a\",\"output\":{\n\"$pattern\":\"(\",\n\"$min_count\":-1,\n\"$empty\":1,\n\"$like\":2}}]}", []string{"2 pattern cannot be read", "3 whole number", "4 true or false", "5 no operator $like"}},
		{"{\"version\":1,\"cases\":[{\"name\":\"a\",\"page\":\"/\",\"action\":\"a\",\"output\":{\n\"$not\":1,\n\"b\":2}}]}", []string{"2 among operators"}},
		{"{\"version\":1,\"cases\":[{\"name\":\"a\",\"action\":\"a\",\n\"page\":\"../x.html\"}]}", []string{"2 in this folder"}},
		{"{\"version\":1,\"cases\":[{\"name\":\"a\",\"action\":\"a\",\n\"page\":\"x.txt\"}]}", []string{"2 .html"}},
		{"{\"version\":1,\"cases\":[{\"name\":\"a\",\"action\":\"a\",\n\"page\":\"file:///etc/passwd\"}]}", []string{"2 only http"}},
		{"{\"version\":1,\"cases\":[{\"name\":\"a\",\"action\":\"a\",\"page\":\"/\",\n\"url\":\"https://a.example/\"}]}", []string{"2 this page has one"}},
	} {
		f, problems := maptest.Parse([]byte(row.text))
		if f != nil || len(problems) != len(row.want) {
			t.Errorf("%s: %+v", row.text, problems)
			continue
		}
		for i, p := range problems {
			line, message, _ := strings.Cut(row.want[i], " ")
			if fmt.Sprint(p.Line) != line || !strings.Contains(p.Message, message) {
				t.Errorf("%s: %+v, want %s", row.text, p, row.want[i])
			}
		}
	}
}

const checkedMap = `{"protocol":"actions.json","version":1,"tools":[
	{"name":"shop.search","description":"d","input_schema":{"type":"object","required":["query"],"properties":{"query":{"type":"string","minLength":3}},"additionalProperties":false},
	 "workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"type","primitive":"locator.fill","args":{}},{"id":"each","for_each":[1],"max_items":1,"steps":[{"id":"press","primitive":"locator.click","args":{}}]}]}},
	{"name":"shop.read","description":"d","input_schema":{"type":"object","properties":{}},"x_actions":{"handler":"page.info"}},
	{"name":"shop.about","description":"d","input_schema":{"type":"object","properties":{}},"x_actions":{"static_output":{"a":1}}}]}`

func parsedMap(t testing.TB) *actionmap.Map {
	t.Helper()
	m, err := actionmap.Parse([]byte(checkedMap))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCheck(t *testing.T) {
	// Ensure that an unknown action, a step that it does not have, an input that it refuses and a page that is not there are mistakes with their lines; and that a refused input is right where an error is expected.
	text := []byte(`{"version":1,"cases":[
		{"name":"1","page":"a.html","action":"shop.read"},
		{"name":"2","page":"b.html","action":"shop.read"},
		{"name":"3","page":"/","action":"shop.serach"},
		{"name":"4","page":"/","action":"shop.search","input":{"query":"x"}},
		{"name":"5","page":"/","action":"shop.search","input":{"query":"x"},"error":"invalid_input"},
		{"name":"6","page":"/","action":"shop.search","input":{"query":"tea"},"not_run":["type","send","each","press"]}]}`)
	f, problems := maptest.Parse(text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, p := range f.Check(text, parsedMap(t), fstest.MapFS{"a.html": {Data: []byte("x")}, "b.html/c": {}}) {
		got = append(got, fmt.Sprint(p.Line, " ", p.Pointer))
	}
	if want := []string{"3 /cases/1/page", "4 /cases/2/action", "5 /cases/3/input", "7 /cases/5/not_run/1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("mistakes %q, want %q", got, want)
	}
}

func TestResolve(t *testing.T) {
	// Ensure that each kind of page gets its address, and that one without an address or of another site is a mistake.
	text := []byte(`{"version":1,"cases":[
		{"name":"1","page":"https://www.tea.example/a?b#c","action":"a"},
		{"name":"2","page":"/search?q=1","action":"a"},
		{"name":"3","page":"p/x.html","action":"a"},
		{"name":"4","page":"x.html","url":"http://tea.example:8080/y","action":"a"},
		{"name":"5","page":"https://evil.example/","action":"a"}]}`)
	f, _ := maptest.Parse(text)
	var got []string
	found := func(_ *maptest.Case, address string) { got = append(got, address) }
	problems := f.Resolve(text, "https://tea.example", []string{"tea.example"}, found)
	if want := []string{"https://www.tea.example/a?b#c", "https://tea.example/search?q=1", "https://tea.example/", "http://tea.example:8080/y"}; !reflect.DeepEqual(got, want) {
		t.Errorf("addresses %q", got)
	}
	if len(problems) != 1 || problems[0].Line != 6 {
		t.Errorf("mistakes %+v", problems)
	}
	got = nil
	if problems := f.Resolve(text, "", nil, found); len(problems) != 2 || problems[0].Line != 3 || problems[1].Line != 4 || len(got) != 3 {
		t.Errorf("outside of a folder of a site: %+v, %q", problems, got)
	}
}

func TestAppend(t *testing.T) {
	// Ensure that a case is added at the end and the file stays as it was written otherwise, that a taken name and a broken file are refused, and that an empty text begins a file.
	written := "{ \"version\": 1,\n  \"cases\": [\n    { \"name\": \"a ] b\", \"page\": \"/\",  \"action\": \"x\", \"output\": [[1], {\"cases\": []}] }\n  ],\n  \"description\": \"mine\" }\n"
	c := maptest.Case{Name: "new", Page: "p.html", Action: "y", Input: json.RawMessage(`{"q":1}`)}
	out, err := maptest.Append([]byte(written), c)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, _ := strings.Cut(written, "\n  ],")
	if !bytes.HasPrefix(out, []byte(head+",\n    {")) || !bytes.HasSuffix(out, []byte("}\n  ],"+tail)) {
		t.Errorf("the file is now\n%s", out)
	}
	if f, problems := maptest.Parse(out); len(problems) > 0 || len(f.Cases) != 2 || f.Cases[1].Name != "new" {
		t.Errorf("%+v", problems)
	}
	if _, err := maptest.Append(out, c); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second time: %v", err)
	}
	if _, err := maptest.Append([]byte("{"), c); err == nil {
		t.Error("a broken file was written to")
	}
	if out, err = maptest.Append(nil, c, maptest.Case{Name: "two", Page: "p.html", Action: "y"}); err != nil || !bytes.Contains(out, []byte("\n    {\n      \"name\": \"two\"")) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestMadeUp(t *testing.T) {
	// Ensure that a made-up input fits the action's schema, from examples, defaults and choices where it has them, and that one that nothing fits is an error.
	for schema, want := range map[string]string{
		`{"type":"object"}`: `{}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":10},"b":{"type":"string"}}}`:                               `{"a":"exampleeee"}`,
		`{"type":"object","required":["a","b","c"],"properties":{"a":{"type":"integer","minimum":3},"b":{"enum":["x","y"]},"c":{"type":"boolean"}}}`: `{"a":3,"b":"x","c":true}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","format":"email"}}}`:                                                   `{"a":"ada@example.com"}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"array","minItems":2,"items":{"type":"string","maxLength":2}}}}`:                `{"a":["ex","ex"]}`,
		`{"type":"object","required":["a"],"properties":{"a":{"examples":["oolong"],"type":"string"}}}`:                                              `{"a":"oolong"}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"type":["string","null"]}}}}}`:     `{"a":{"b":"example"}}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^[0-9]{9}$"}}}`:                                             ``,
	} {
		m, err := actionmap.Parse([]byte(`{"protocol":"actions.json","version":1,"tools":[{"name":"a","description":"d","input_schema":` + schema + `,"x_actions":{"handler":"page.info"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := maptest.MadeUpInput(m.Tools[0])
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", schema, got, err)
		}
	}
	if cases := maptest.ReadingCases(parsedMap(t), primitive.Load(), "p.html", "https://a.example/"); len(cases) != 1 || cases[0].Action != "shop.read" {
		t.Errorf("%+v", cases)
	}
}

func TestMadeUpLists(t *testing.T) {
	// Ensure that lists of lists are made up while they are small, and that a schema of a few of them, or of a long text, asks for no more than there is room for.
	nested := func(depth int, least string, items string) string {
		return strings.Repeat(`{"type":"array","minItems":`+least+`,"items":`, depth) + items + strings.Repeat("}", depth)
	}
	for name, test := range map[string]struct{ schema, want string }{
		"small":     {nested(2, "2", `{"type":"integer"}`), `{"a":[[1,1],[1,1]]}`},
		"five deep": {nested(5, "20", `{"type":"integer"}`), ""},
		"long text": {nested(2, "20", `{"default":"`+strings.Repeat("x", 10_000)+`"}`), ""},
	} {
		schema := `{"type":"object","required":["a"],"properties":{"a":` + test.schema + `}}`
		m, err := actionmap.Parse([]byte(`{"protocol":"actions.json","version":1,"tools":[{"name":"a","description":"d","input_schema":` + schema + `,"x_actions":{"handler":"page.info"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := maptest.MadeUpInput(m.Tools[0])
		if string(got) != test.want || (test.want == "") != fault.Is(err, fault.InvalidInput) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

func TestJUnit(t *testing.T) {
	// Ensure that the report can be read back with each case, its time and its differences, whatever a page has answered.
	text, err := maptest.JUnit([]maptest.Suite{{Map: "a/actions.json", Results: []maptest.Result{
		{Name: "good", Action: "x", OK: true, DurationMS: 1500},
		{Name: `b<a>&"d` + "\x00", Action: "y", Differences: []string{"output: is \"]]>\x01\", not 1", "second"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string `xml:"name,attr"`
				Class   string `xml:"classname,attr"`
				Time    string `xml:"time,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &read); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	cases := read.Suites[0].Cases
	if read.Tests != 2 || read.Failures != 1 || cases[0].Time != "1.500" || cases[0].Failure != nil || cases[1].Failure == nil ||
		!strings.Contains(cases[1].Failure.Text, "second") || !strings.HasPrefix(cases[1].Name, `b<a>&"d`) {
		t.Errorf("%+v", read)
	}
}

func TestTimeout(t *testing.T) {
	// Ensure that a case's own limit goes before the other one.
	if got := one(t, `,"timeout_ms":500`).Timeout(time.Second); got != 500*time.Millisecond {
		t.Error(got)
	}
	if got := one(t, ``).Timeout(time.Second); got != time.Second {
		t.Error(got)
	}
}

func FuzzParse(f *testing.F) {
	// Ensure that no text makes the reader or the matcher panic or hang, that mistakes have places in the text, and that a case can be added to what is read.
	m, err := actionmap.Parse([]byte(checkedMap))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, output string) {
		file, problems := maptest.Parse([]byte(text))
		lines := strings.Count(text, "\n") + 1
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines || p.Message == "" {
				t.Errorf("%+v of %d lines", p, lines)
			}
		}
		if file == nil {
			if len(problems) == 0 {
				t.Error("neither cases nor mistakes")
			}
			return
		}
		file.Check([]byte(text), m, fstest.MapFS{})
		if !json.Valid([]byte(output)) {
			return
		}
		for i := range file.Cases {
			file.Cases[i].Judge(maptest.Answer{Output: []byte(output), State: []byte(output)})
		}
		if _, err := maptest.Append([]byte(text), maptest.Case{Name: strings.Repeat("ö", 150), Page: "/", Action: "a"}); err != nil && len(file.Cases) < 500 {
			if !strings.Contains(err.Error(), "already") {
				t.Errorf("no case can be added: %v", err)
			}
		}
	})
}
