package actionmap

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// readMetadata reads the root members that describe the map as a whole.
func (m *Map) readMetadata(root map[string]json.RawMessage) {
	surface := root["surface"]
	m.Version = prose(root["version"])
	m.Surface = prose(surface, "name", "site", "surface", "description")
	// Metadata only: the folder of a map decides where it applies.
	m.Origin = str(member(surface, "origin"))
	m.ReviewedBy = str(member(root["provenance"], "reviewed_by"))
	m.Name = str(root["name"])
	if m.Name == "" {
		m.Name = str(member(surface, "name"))
	}
	// Authors write the scope in either place; both narrow the map.
	m.URLPatterns = append(texts(member(surface, "url_patterns")), texts(member(root["scope"], "url_matches"))...)
	// Authors put this statement in either place; missing it would be unsafe.
	m.BlockedPrimitives = append(names(member(root["requires"], "primitive_dictionary", "blocked_primitives")), names(root["blocked_primitives"])...)
	m.Guidance = Guidance{Prompt: readPrompt(root["prompt"]), Skill: readSkill(root["skill"])}
}

// readPrompt renders the three shapes of a prompt. The origin of its text
// (source) is for reviewers, not for an agent.
func readPrompt(raw json.RawMessage) string {
	members, ok := object(raw)
	if !ok {
		return prose(raw)
	}
	delete(members, "source")
	text, err := json.Marshal(members)
	if err != nil {
		return ""
	}
	return prose(text, "title", "role", "mission", "instructions", "state_summary", "boundaries")
}

// readSkill reads the two shapes of a root skill. Real maps use it instead of
// a declared file.
func readSkill(raw json.RawMessage) *Skill {
	if s, ok := isString(raw); ok && s != "" {
		return &Skill{Text: s}
	}
	members, ok := object(raw)
	if !ok {
		return nil
	}
	return &Skill{Path: str(members["path"]), WhenToRead: prose(members["when_to_read"])}
}

// readFiles reads the declared files. An unsafe path is a problem of the map.
func (m *Map) readFiles(raw json.RawMessage) {
	elements, _ := array(raw)
	for i, e := range elements {
		members, _ := object(e)
		file := File{
			ID: str(members["id"]), Path: str(members["path"]), Kind: str(members["kind"]),
			Title: str(members["title"]), Description: str(members["description"]), ReadWhen: prose(members["read_when"]),
		}
		// Most files are for reading only, and most authors leave the kind out.
		if file.Kind == "" {
			file.Kind = "reference"
		}
		if !safePath(file.Path) {
			m.problem("", "/x_actions/files/"+strconv.Itoa(i), fmt.Sprintf("the path %q of a declared file is not a plain relative path", file.Path))
			continue
		}
		m.Files = append(m.Files, file)
	}
}

// safePath reports whether a path is relative, has forward slashes and stays below
// its folder on every operating system.
func safePath(path string) bool {
	// A backslash or a colon is special only on Windows, where the same map would
	// refer to another file.
	if path == "" || strings.ContainsAny(path, "\x00\\:") {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// readProjections reads the projections with a valid shape.
func (m *Map) readProjections(raw json.RawMessage) {
	elements, _ := array(raw)
	for i, e := range elements {
		pointer := "/state_projections/" + strconv.Itoa(i)
		if faults := checkProjection(jsonnode.Node{Pointer: pointer, Raw: e}); len(faults) > 0 {
			m.problem("", faults[0].Pointer, faults[0].Message)
			continue
		}
		m.Projections = append(m.Projections, Projection{
			Name: str(member(e, "name")), Description: str(member(e, "description")),
			Summaries: names(member(e, "summaries")), URLMatches: texts(member(e, "scope", "url_matches")),
		})
	}
}
