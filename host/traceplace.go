package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// mapPlace is the member of a map that a run was about.
type mapPlace struct {
	Path    string          `json:"path"` // in the storage folder
	File    string          `json:"file"`
	Pointer string          `json:"pointer"`
	Line    int             `json:"line,omitzero"` // from 1; 0 where the file cannot be read any more
	Column  int             `json:"column,omitzero"`
	Member  json.RawMessage `json:"member,omitzero"`
}

// placeInMap returns the member of the map that failed, or the action, and the action as it is
// in the map; nil where it is not in this file.
func placeInMap(root, path, action string, failed *fault.Error) (*mapPlace, *actionmap.Tool) {
	at := &mapPlace{Path: path, File: filepath.Join(root, filepath.FromSlash(path))}
	text, err := os.ReadFile(at.File)
	if err != nil {
		return at, nil // the trace names the file all the same
	}
	m, err := actionmap.Parse(text)
	if err != nil {
		return at, nil
	}
	node := memberOf(jsonnode.Node{Raw: m.Raw}, action, failed)
	at.Pointer, at.Member = node.Pointer, node.Raw
	position := jsonnode.Positions(text, []string{at.Pointer})[at.Pointer]
	at.Line, at.Column = position.Line, position.Column
	tool, _ := m.Tool(action)
	return at, tool
}

// memberOf returns the member of a map that an error is about: a step, a schema, a
// postcondition, or else the action.
func memberOf(root jsonnode.Node, action string, failed *fault.Error) jsonnode.Node {
	tool := named(root.Get("tools"), "name", action)
	if failed == nil || tool.Absent() {
		return tool
	}
	if failed.Code == fault.StatePostconditionFailed {
		for _, p := range root.Get("state_projections").Elements() {
			if check := p.Get("postconditions", action); !check.Absent() {
				return check
			}
		}
	}
	part := tool
	step, _ := failed.Evidence["step_id"].(string)
	switch {
	case step != "":
		part = named(tool.Get("workflow", "steps"), "id", step)
	case failed.Code == fault.InvalidInput || failed.Code == fault.InvalidArguments:
		part = tool.Get("input_schema")
	case failed.Code == fault.InvalidResult:
		part = tool.Get("output_schema")
	case strings.HasPrefix(string(failed.Code), "workflow_output_"):
		part = tool.Get("workflow", "output")
	}
	if part.Absent() {
		return tool
	}
	return part
}

// named returns the element of a list whose member has the value.
func named(list jsonnode.Node, member, value string) jsonnode.Node {
	for _, e := range list.Elements() {
		if e.Get(member).Text() == value {
			return e
		}
	}
	return jsonnode.Node{}
}
