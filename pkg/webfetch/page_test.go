package webfetch

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestDecode(t *testing.T) {
	// Ensure that text arrives whatever its character set is, that a wrong or unknown one makes no invalid text, and that what is no text is said to be so.
	for name, c := range map[string]struct{ kind, body, want string }{
		"utf-8":           {"text/plain; charset=utf-8", "caf\u00e9", "caf\u00e9"},
		"latin 1":         {"text/plain; charset=iso-8859-1", "caf\xe9", "caf\u00e9"},
		"shift jis":       {"text/plain; charset=shift_jis", "\x82\xa0", "\u3042"},
		"by its mark":     {"text/plain", "\xff\xfea\x00\xe9\x00", "a\u00e9"},
		"in the document": {"text/html", "<meta charset=iso-8859-15>\xa4", "\u20ac"},
		"unknown":         {"text/plain; charset=klingon", "caf\u00e9", "caf\u00e9"},
		"broken":          {"text/plain; charset=utf-8", "a\xffb", "a\ufffdb"},
		"malformed type":  {";;", "plain", "plain"},
		"json":            {"application/json", `{"a":1}`, `{"a":1}`},
		"no type":         {"", "plain", "plain"},
	} {
		p := newPage("GET", Response{URL: "http://a.test/", ContentType: c.kind, Body: []byte(c.body)})
		if p.text != c.want || p.binary {
			t.Errorf("%s: %q, binary %v", name, p.text, p.binary)
		}
	}
	for kind, body := range map[string]string{"image/png": "x", "": "\x00\x01", "application/octet-stream": "\xff\xfe\xfd", "application/pdf": "%PDF"} {
		if p := newPage("GET", Response{ContentType: kind, Body: []byte(body)}); !p.binary || p.text != "" {
			t.Errorf("%q: %q", kind, p.text)
		}
	}
}

func TestReadable(t *testing.T) {
	// Ensure that HTML becomes what a person reads, with links that can be followed, and that no document makes it endless or invalid.
	base := &url.URL{Scheme: "https", Host: "a.test", Path: "/dir/page"}
	for document, want := range map[string]string{
		`<title>Tea</title><script>alert("no")</script><style>p{}</style><h1>The  tea</h1><p>Hot <b>and</b> fresh.</p>`: "Tea\n# The tea\nHot and fresh.",
		`<p>See <a href="../x?a=1&amp;b=2">the <i>list</i></a>, or <a href="#top">top</a>.`:                             "See [the list](https://a.test/x?a=1&b=2), or top.",
		`<ul><li>one<li>two</ul>after`:                                       "- one\n- two\nafter",
		`<table><tr><th>a<th>b<tr><td>1</td><td>2</td></table>`:              "a | b\n1 | 2",
		"<pre>a\n  b</pre>c":                                                 "a\n  b\nc",
		`<template><p>no</template><svg><text>no</text></svg>yes<img alt=x>`: "yesx",
		`<a href="javascript:x">no link`:                                     "no link",
		`a<br>b&nbsp;c`:                                                      "a\nb c",
		`<base target=_top><base href=/ ><base href=/no/><a href=x>a</a>`:    "[a](https://a.test/x)",
		`<base href=data:,x><a href=x>a</a>`:                                 "[a](https://a.test/dir/x)",
	} {
		if got := readable(document, base); got != want {
			t.Errorf("%s\n%q\n%q", document, got, want)
		}
	}
	long := strings.Repeat("<a href=x>", maxBytes/10)
	if got := readable(long, &url.URL{Scheme: "http", Host: "a.test", Path: "/" + strings.Repeat("d", 8000) + "/"}); len(got) > 2*maxBytes {
		t.Errorf("%d bytes of many links", len(got))
	}
}

func FuzzReadable(f *testing.F) {
	// Ensure that any document gives a valid text that is not much longer than it.
	f.Add("<p>a<a href=b>c</a><select><svg><pre>")
	f.Fuzz(func(t *testing.T, document string) {
		document = strings.ToValidUTF8(document, "")
		if got := readable(document, &url.URL{Scheme: "http", Host: "a"}); !utf8.ValidString(got) {
			t.Errorf("%q gives %q", document, got)
		}
	})
}

func TestPages(t *testing.T) {
	// Ensure that following next gives the whole text, and each place that was looked for once, whatever the text is.
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("aB \n\u00e9\U0001f600")), 0, 2000, -1).Draw(t, "text")
		args := fetchArguments{URL: "http://a.test/", MaxChars: rapid.IntRange(200, 700).Draw(t, "max_chars")}
		var whole strings.Builder
		for next := &args; next != nil; {
			var out output
			out.addText(text, *next)
			whole.WriteString(out.Text)
			if next = nil; out.Next != nil {
				next = &out.Next.Arguments
			}
		}
		if whole.String() != text {
			t.Fatalf("%q is %q", text, whole.String())
		}
		args.Find = rapid.SampledFrom([]string{"a", "AB", "a b", "\u00c9", "zz"}).Draw(t, "find")
		var found []int
		total := 0
		for next := &args; next != nil; {
			var out output
			out.addMatches(text, *next)
			for _, m := range out.Matches {
				found = append(found, m.Offset)
				at := string([]rune(text)[m.Offset : m.Offset+utf8.RuneCountInString(args.Find)])
				if fold([]rune(at)) != fold([]rune(args.Find)) {
					t.Fatalf("%q at %d", at, m.Offset)
				}
			}
			total = *out.MatchCount
			if next = nil; out.Next != nil {
				next = &out.Next.Arguments
			}
		}
		if len(found) != total || total != strings.Count(fold([]rune(text)), fold([]rune(args.Find))) {
			t.Fatalf("%d of %d places", len(found), total)
		}
	})
}
