package actionmap

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

var identifier = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]*(\.[a-zA-Z][a-zA-Z0-9_-]*)*$`)

// The closed vocabularies of rule S14.
var (
	directions  = []string{"agent_to_html", "html_to_agent", "bidirectional"}
	scopes      = []string{"active_surface", "persistent"}
	severities  = []string{"info", "minor", "major", "critical"}
	confidences = []string{"observed", "inferred", "generated", "unknown"}
	attachments = []string{"overlay_launcher", "annotation", "shortcut", "status_badge"}
	methods     = []string{"tool_call", "signal", "navigation", "click", "type", "scroll", "handler_call", "attachment_install"}
)

// Validate checks a map against every rule of the format. No finding means
// that the map is valid. Without a dictionary primitive names go unchecked.
// Findings are in the order of the text and have a position.
func Validate(text []byte, dict workflow.Dictionary) []Finding {
	findings := check(text, dict)
	for i := range findings {
		if findings[i].Hint == "" {
			findings[i].Hint = findings[i].hint()
		}
	}
	Locate(text, findings)
	return findings
}

func check(text []byte, dict workflow.Dictionary) []Finding {
	raw, err := strictjson.Canonical(text, limits)
	if err != nil {
		return []Finding{unreadable(text, fault.From(err))}
	}
	c := &checker{dict: dict}
	top, ok := object(raw)
	if !ok {
		c.add("S1", jsonnode.Node{}, "the map must be an object")
		return c.findings
	}
	c.top = top
	// In a reader's order: the map as a whole, its tools, references to them, and last
	// members that may be anywhere.
	c.checkRoot()
	c.checkTools()
	c.checkSections()
	c.checkReferences()
	decoded, err := jsonnode.Decode(raw)
	if err != nil {
		c.add(RuleJSON, jsonnode.Node{}, "%v", err)
	}
	c.walk(decoded, nil)
	c.checkProjections()
	return c.findings
}

// unreadable returns the finding for text that is not strict JSON, at the decoder's
// position.
func unreadable(text []byte, f *fault.Error) Finding {
	finding := Finding{Rule: RuleJSON, Severity: SeverityError, Message: f.Message}
	finding.Pointer, _ = f.Evidence["pointer"].(string)
	if offset, ok := f.Evidence["offset"].(int64); ok {
		at := jsonnode.PositionAt(text, int(offset))
		finding.Line, finding.Column = at.Line, at.Column
	}
	return finding
}

// checker collects the findings in the order of the checks.
type checker struct {
	dict     workflow.Dictionary
	top      map[string]json.RawMessage // the root, decoded once
	findings []Finding
}

// section returns a member of the root.
func (c *checker) section(name string) jsonnode.Node {
	return jsonnode.Node{Pointer: "/" + name, Raw: c.top[name]}
}

func (c *checker) add(rule string, at jsonnode.Node, format string, args ...any) {
	c.findings = append(c.findings, newFinding(rule, SeverityError, at, format, args))
}

func (c *checker) warn(rule string, at jsonnode.Node, format string, args ...any) {
	c.findings = append(c.findings, newFinding(rule, SeverityWarning, at, format, args))
}

// expression reports an expression that does not compile.
func (c *checker) expression(at jsonnode.Node, message string) {
	c.add("S15", at, "%s", message)
	c.findings[len(c.findings)-1].Hint = expressionHint
}

func newFinding(rule string, severity Severity, at jsonnode.Node, format string, args []any) Finding {
	return Finding{Rule: rule, Severity: severity, Pointer: at.Pointer, Message: fmt.Sprintf(format, args...)}
}

func (c *checker) checkRoot() {
	if c.section("protocol").Text() != Protocol {
		c.add("S1", c.section("protocol"), "protocol must be %q", Protocol)
	}
	switch version := c.section("version"); {
	case strings.Contains(version.Text(), "."): // a version of the map's own, as public maps have it
		c.warn("S2", version, "version must be the number 1")
	case string(version.Raw) != "1":
		c.add("S2", version, "version must be the number 1")
	}
	if tools := c.section("tools"); !tools.IsArray() {
		c.add("S3", tools, "tools must be an array")
	}
	for i, file := range c.section("x_actions").Get("files").Elements() {
		if !safePath(file.Get("path").Text()) {
			c.add("S13", file.Get("path"), "the path of declared file %d must be relative and stay in the map's folder", i)
		}
	}
	if c.dict == nil {
		return
	}
	// A host may lack a primitive that others have: not an error of the map.
	required := c.section("requires").Get("primitive_dictionary").Get("required_primitives")
	for i, name := range names(required.Raw) {
		if c.dict.Effect(name) == "" {
			c.warn("S15", required.At(i), "the map requires the primitive %q, which this host does not have", name)
		}
	}
}

// checkSections applies S4 and S5 to every section that names things, and the
// rules of single sections.
func (c *checker) checkSections() {
	for _, section := range []struct{ name, key string }{
		{"tools", "name"}, {"signals", "name"}, {"states", "name"}, {"transitions", "name"}, {"context", "id"},
		{"attachments", "id"}, {"checks", "id"}, {"imports", "id"},
	} {
		c.checkNames(c.section(section.name), section.key)
	}
	for _, signal := range c.section("signals").Elements() {
		if signal.Get("ingestion").Text() == "enabled" && signal.Get("event").Text() == "" {
			c.add("S8", signal, "an enabled signal must name its event")
		}
		c.isObject("S6", signal.Get("payload"))
		c.oneOf(signal.Get("direction"), directions)
	}
	for _, attachment := range c.section("attachments").Elements() {
		for _, key := range []string{"target", "lifecycle"} {
			if attachment.Get(key).Absent() {
				c.add("S10", attachment, "an attachment must have a %s", key)
			}
		}
		c.oneOf(attachment.Get("kind"), attachments)
	}
	for _, transition := range c.section("transitions").Elements() {
		c.oneOf(transition.Get("method"), methods)
	}
	for _, check := range c.section("checks").Elements() {
		c.oneOf(check.Get("severity"), severities)
	}
}

// checkNames applies S4 and S5 to one section. Each section is a namespace of
// its own.
func (c *checker) checkNames(section jsonnode.Node, key string) {
	seen := map[string]bool{}
	for _, e := range section.Elements() {
		name := e.Get(key)
		switch text := name.Text(); {
		case !identifier.MatchString(text):
			c.add("S4", name, "%s %s must be an identifier such as search.submit", key, strconv.Quote(text))
		case seen[text]:
			c.add("S5", name, "%s %q stands twice in %s", key, text, section.Pointer[1:])
		default:
			seen[text] = true
		}
	}
}

// isObject checks an optional member's shape.
func (c *checker) isObject(rule string, n jsonnode.Node) {
	if !n.Absent() && !n.IsObject() {
		c.add(rule, n, "must be an object")
	}
}

// oneOf checks an optional member against a closed vocabulary.
func (c *checker) oneOf(n jsonnode.Node, allowed []string) {
	if !n.Absent() && !slices.Contains(allowed, n.Text()) {
		c.add("S14", n, "must be one of %v", allowed)
	}
}
