package jsonnode

import (
	"encoding/json"
	"slices"
	"testing"
)

const text = `{"b":{"x/y~z":["one"," ",{"name":"two"},"one",3]},"a":null,"n":7,"t":true}`

func TestPointers(t *testing.T) {
	// Ensure that a node has its pointer whether it exists or not, names escaped, and that Find leads back to it.
	root := Node{Raw: json.RawMessage(text)}
	for pointer, want := range map[string]string{
		"/b/x~1y~0z/2/name": `"two"`, "/b/x~1y~0z/9": "", "/b/x~1y~0z/-1": "", "/a": "null", "/a/below": "", "/n/0": "", "/missing/deep": "",
	} {
		if p := root.Find(pointer); p.Pointer != pointer || string(p.Raw) != want {
			t.Errorf("%s: %s at %s, want %s", pointer, p.Raw, p.Pointer, want)
		}
	}
	if key := root.Get("b", "x/y~z").Key(); key != "x/y~z" {
		t.Errorf("key %q", key)
	}
	var names []string
	for _, m := range root.Members() {
		names = append(names, m.Name)
	}
	if !slices.Equal(names, []string{"b", "a", "n", "t"}) {
		t.Errorf("members %q", names)
	}
	walked := 0
	root.Walk(func(Node) { walked++ })
	if walked != 12 {
		t.Errorf("%d nodes were visited", walked)
	}
}

func TestReaders(t *testing.T) {
	// Ensure that each reader returns its own shape and the zero value for every other.
	root := Node{Raw: json.RawMessage(text)}
	list := root.Get("b", "x/y~z")
	if !slices.Equal(list.Texts(), []string{"one", "one"}) || !slices.Equal(list.Names(), []string{"one", " ", "two"}) || len(list.Strings()) != 3 {
		t.Errorf("texts %q, names %q", list.Texts(), list.Names())
	}
	if n := root.Get("n").Integer(); n == nil || *n != 7 {
		t.Errorf("integer %v", n)
	}
	if b := root.Get("t").Boolean(); b == nil || !*b {
		t.Errorf("boolean %v", b)
	}
	for _, p := range []Node{root, list, root.Get("a"), root.Get("missing"), root.Get("n")} {
		if p.Text() != "" || p.Boolean() != nil {
			t.Errorf("%s returned text or a boolean", p.Raw)
		}
	}
	if !root.Get("a").Absent() || root.Get("n").Members() != nil || root.Elements() != nil || root.Get("t").Integer() != nil {
		t.Error("another shape returned a value")
	}
}

func FuzzNode(f *testing.F) {
	// Ensure that no text, strict or not, makes a reader panic or walk forever.
	f.Add([]byte(text), "/b/x~1y~0z/2/name")
	f.Add([]byte(`{"a":[1,{"b":`), "/a/1")
	f.Fuzz(func(t *testing.T, raw []byte, pointer string) {
		if len(raw) > 4096 {
			return
		}
		root := Node{Raw: raw}
		at := root.Find(pointer)
		at.Texts()
		at.Names()
		at.Integer()
		root.Walk(func(n Node) { n.Text() })
		Without(raw, pointer)
	})
}
