package actionmap

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// checkReferences applies S11 and S12: transitions and checks must refer to declared
// names.
func (c *checker) checkReferences() {
	declared := map[string][]string{
		"tool":       c.declared("tools", "name"),
		"signal":     c.declared("signals", "name"),
		"state":      c.declaredStates(),
		"attachment": c.declared("attachments", "id"),
	}
	for _, t := range c.section("transitions").Elements() {
		c.known("S11", t.Get("from"), "state", declared)
		c.known("S11", t.Get("to"), "state", declared)
		c.known("S11", t.Get("tool"), "tool", declared)
		c.known("S11", t.Get("signal"), "signal", declared)
	}
	for _, check := range c.section("checks").Elements() {
		for _, key := range []string{"setup", "steps", "assertions"} {
			for _, e := range check.Get(key).Elements() {
				c.known("S12", e.Get("tool"), "tool", declared)
				c.known("S12", e.Get("state"), "state", declared)
				c.known("S12", e.Get("attachment"), "attachment", declared)
				c.known("S12", e.Get("target").Get("state"), "state", declared)
				if name := e.Get("primitive"); key == "setup" && !name.Absent() && c.dict != nil && !c.dict.Step(name.Text()) {
					c.add("S12", name, "a setup cannot run %q, which is no primitive for stored actions", name.Text())
				}
			}
		}
	}
}

// declared returns the names of a section.
func (c *checker) declared(section, key string) []string {
	var out []string
	for _, e := range c.section(section).Elements() {
		out = append(out, e.Get(key).Text())
	}
	return out
}

// declaredStates also reads the form of states that real maps use, an object
// from name to prose.
func (c *checker) declaredStates() []string {
	out := c.declared("states", "name")
	for _, m := range c.section("states").Members() {
		out = append(out, m.Name)
	}
	return out
}

// known checks an optional reference.
func (c *checker) known(rule string, n jsonnode.Node, kind string, declared map[string][]string) {
	if n.Absent() {
		return
	}
	if name := n.Text(); !slices.Contains(declared[kind], name) {
		c.add(rule, n, "unknown %s %q", kind, name)
	}
}

// opaque lists members that hold schemas or free data, where a name such as
// selector has no meaning.
var opaque = []string{"input_schema", "result_schema", "output_schema", "payload", "parameters", "static_output",
	"x_state_machine", "expected_result"}

// walk applies the rules that hold at any depth: S9, S13 and S14's confidence.
// It walks the decoded map, because decoding raw text level by level would read a
// deep map once for each level.
func (c *checker) walk(value any, path []string) {
	switch v := value.(type) {
	case []any:
		for i, e := range v {
			c.walk(e, append(path, strconv.Itoa(i)))
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if slices.Contains(opaque, key) || v[key] == nil {
				continue
			}
			below := append(path, key)
			c.checkMember(key, v[key], below)
			c.walk(v[key], below)
		}
	}
}

// checkMember applies the rules of members that mean the same everywhere.
func (c *checker) checkMember(key string, value any, path []string) {
	switch key {
	case "selector":
		if _, ok := value.(string); !ok {
			c.add("S9", place(path), "selector must be a string")
		}
	case "selectors", "fallback_selectors":
		if !allStrings(value) {
			c.add("S9", place(path), "%s must be an array of strings", key)
		}
	case "confidence":
		if s, ok := value.(string); !ok || !slices.Contains(confidences, s) {
			c.add("S14", place(path), "must be one of %v", confidences)
		}
	case "source":
		source, _ := value.(map[string]any)
		files, _ := source["files"].([]any)
		for i, file := range files {
			if s, ok := file.(string); !ok || !safePath(s) {
				c.add("S13", place(append(path, "files", strconv.Itoa(i))), "a source file must be a relative path that stays in the site's folder")
			}
		}
	}
}

// allStrings reports whether the value is a list of strings.
func allStrings(value any) bool {
	list, ok := value.([]any)
	return ok && !slices.ContainsFunc(list, func(e any) bool { _, isString := e.(string); return !isString })
}

// place returns the node of a path; only findings need one.
func place(path []string) jsonnode.Node {
	var pointer strings.Builder
	for _, segment := range path {
		pointer.WriteString("/" + jsonnode.Escape(segment))
	}
	return jsonnode.Node{Pointer: pointer.String()}
}
