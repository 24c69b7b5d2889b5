package surface

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// part is a piece of a map with its JSON pointer. A missing piece is a part
// too. Its readers give a zero value for any other shape: real maps have prose
// in place of objects.
type part struct {
	pointer string
	raw     json.RawMessage
}

// object is an opened object, so that its text is read once. A Go map keeps
// names letter by letter, which the fields of a struct do not.
type object struct {
	part
	members map[string]json.RawMessage
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

func (p part) object() (object, bool) {
	o := object{part: p}
	if len(p.raw) == 0 || p.raw[0] != '{' || json.Unmarshal(p.raw, &o.members) != nil {
		return object{part: p}, false
	}
	return o, true
}

func (o object) get(key string) part {
	return part{o.pointer + "/" + pointerEscape.Replace(key), o.members[key]}
}

// names lists the members' names in a fixed order.
func (o object) names() []string {
	names := make([]string, 0, len(o.members))
	for name := range o.members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// get opens an object for one member of it.
func (p part) get(key string) part {
	o, _ := p.object()
	return o.get(key)
}

// elements gives the elements of an array, and nothing for another shape.
func (p part) elements() []part {
	var raws []json.RawMessage
	if len(p.raw) == 0 || p.raw[0] != '[' || json.Unmarshal(p.raw, &raws) != nil {
		return nil
	}
	parts := make([]part, len(raws))
	for i, raw := range raws {
		parts[i] = part{p.pointer + "/" + strconv.Itoa(i), raw}
	}
	return parts
}

// absent treats null like a missing member, as the authors of maps do.
func (p part) absent() bool { return len(p.raw) == 0 || string(p.raw) == "null" }

// text gives a string, and "" for anything else.
func (p part) text() string {
	var s string
	if len(p.raw) == 0 || p.raw[0] != '"' || json.Unmarshal(p.raw, &s) != nil {
		return ""
	}
	return s
}

// texts reads a string or an array of strings; blank ones are left out.
func (p part) texts() []string {
	parts := p.elements()
	if parts == nil {
		parts = []part{p}
	}
	var texts []string
	for _, e := range parts {
		if s := e.text(); strings.TrimSpace(s) != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// references reads an array whose elements are names or objects with a name.
func (p part) references() []string {
	var names []string
	for _, e := range p.elements() {
		name := e.text()
		if name == "" {
			name = e.get("name").text()
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// prose reads a text that authors also write as a list of lines.
func (p part) prose() string { return strings.Join(p.texts(), "\n") }

// boolean gives nil for anything but true and false.
func (p part) boolean() *bool {
	switch string(p.raw) {
	case "true", "false":
		b := string(p.raw) == "true"
		return &b
	}
	return nil
}

// integer gives nil for anything but a whole number that is not negative.
func (p part) integer() *int {
	var n *float64
	if json.Unmarshal(p.raw, &n) != nil || n == nil || *n < 0 || *n > 1e9 || *n != math.Trunc(*n) {
		return nil
	}
	i := int(*n)
	return &i
}

// first gives the first of some texts that is not empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// cut shortens a text for a person: at most limit characters, the ellipsis
// among them.
func cut(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-1]) + "…"
}
