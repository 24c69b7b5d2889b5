// Package policyfile reads the user's policy.json.
//
// Rules of this package:
//   - The file is strict: what is unknown, stands twice or contradicts another line is an
//     error that names file and line, never a rule that silently does not hold.
//   - It is looked at again for each decision. While it is broken the rules of its last good
//     state are known, and that they are old.
//   - A program writes it once, where there is none; from then on it is its user's.
package policyfile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Limits of the file, as manifest/policy.schema.json has them.
const (
	maxBytes    = 1 << 20
	maxDepth    = 4
	maxPatterns = 4000
	maxReason   = 200 // characters
)

type document struct {
	Schema          string          `json:"$schema"`
	AskEffects      []policy.Effect `json:"ask_effects"`
	Allow           []entry         `json:"allow"`
	Deny            []entry         `json:"deny"`
	UploadFolders   []string        `json:"upload_folders"`
	PrivateNetworks []string        `json:"private_networks"`
}

// entry allows or denies origins.
type entry struct {
	Origins  []string             `json:"origins"`
	Sessions []policy.SessionKind `json:"sessions"`
	Reason   string               `json:"reason"`
}

// Parse returns the rules of a file with this text. The error is invalid_input and names
// path and line.
func Parse(path string, text []byte) (*policy.FileRules, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, invalid(path, 1, "the file is empty").WithNextStep(`Write {} for no rules.`)
	}
	var d document
	if err := strictjson.Decode(text, &d, strictjson.Limits{MaxBytes: maxBytes, MaxDepth: maxDepth}); err != nil {
		return nil, unreadable(path, text, fault.From(err))
	}
	if offset, found := findNull(text); found {
		return nil, invalid(path, jsonnode.PositionAt(text, offset).Line, "null has no meaning here")
	}
	c := checker{rules: &policy.FileRules{Path: path}, positions: jsonnode.Positions(text, d.pointers())}
	for _, check := range []func(document) error{c.effects, c.origins, c.folders, c.networks} {
		if err := check(d); err != nil {
			return nil, err
		}
	}
	if err := contradiction(c.rules); err != nil {
		return nil, err
	}
	return c.rules, nil
}

// pointers lists the values whose lines are needed.
func (d document) pointers() []string {
	var all []string
	list := func(under string, length int) {
		for i := range length {
			all = append(all, under+"/"+strconv.Itoa(i))
		}
	}
	list("/ask_effects", len(d.AskEffects))
	list("/upload_folders", len(d.UploadFolders))
	list("/private_networks", len(d.PrivateNetworks))
	for name, entries := range map[string][]entry{"allow": d.Allow, "deny": d.Deny} {
		list("/"+name, len(entries))
		for i, e := range entries {
			under := "/" + name + "/" + strconv.Itoa(i)
			all = append(all, under+"/origins", under+"/sessions", under+"/reason")
			list(under+"/origins", len(e.Origins))
			list(under+"/sessions", len(e.Sessions))
		}
	}
	return all
}

// unreadable returns the error for a text that is not strict JSON of the file's shape.
func unreadable(path string, text []byte, f *fault.Error) error {
	line := 1
	if offset, ok := f.Evidence["offset"].(int64); ok {
		line = jsonnode.PositionAt(text, int(offset)).Line
	} else if pointer, ok := f.Evidence["pointer"].(string); ok {
		line = jsonnode.Positions(text, []string{pointer})[pointer].Line
	}
	return invalid(path, line, "%s", strings.Replace(f.Message, "the message", "the file", 1))
}

// findNull returns the offset of the first null: no member takes one.
func findNull(text []byte) (offset int, found bool) {
	in := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := in.ReadToken()
		if err != nil {
			return 0, false
		}
		if token.Kind() == jsontext.KindNull {
			return int(in.InputOffset()), true
		}
	}
}

func invalid(path string, line int, format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidInput, "%s:%d: %s", path, line, fmt.Sprintf(format, args...)).
		With("file", path).With("line", line).WithNextStep("Correct that line of the file.")
}
