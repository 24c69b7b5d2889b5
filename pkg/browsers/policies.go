package browsers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// Policies are a browser's enterprise policies on this machine, without those of
// a managed account.
type Policies struct {
	Place  string // where they are read from
	Values map[string]any
	Unread []string // sources that could not be read, with the reason
}

// maxPolicies bounds a file of policies; they have some kilobytes.
const maxPolicies = 4 << 20

// Policies reads the browser's policies. known is false on platforms where that
// is not possible.
func (p Platform) Policies(b Browser) (policies Policies, known bool) {
	switch p.OS {
	case "linux":
		return policiesIn(p.join(p.Root, b.LinuxPolicies)), true
	case "windows":
		return registryPolicies(b), true
	}
	return Policies{}, false
}

// policiesIn reads a folder as the browser does: each file, whatever its
// extension; of several values of a policy, that of the last file by name counts.
func policiesIn(folder string) Policies {
	p := Policies{Place: folder, Values: map[string]any{}}
	entries, err := os.ReadDir(folder) // in the order of their names
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.Unread = append(p.Unread, err.Error())
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		info, err := os.Stat(name)
		if err == nil && info.IsDir() {
			continue
		}
		var values map[string]any
		if err == nil {
			values, err = policyFile(name, info)
		}
		if err != nil {
			p.Unread = append(p.Unread, err.Error())
		}
		maps.Copy(p.Values, values)
	}
	return p
}

func policyFile(name string, info fs.FileInfo) (map[string]any, error) {
	// Reading a pipe would block.
	if !info.Mode().IsRegular() || info.Size() > maxPolicies {
		return nil, fmt.Errorf("%s is no file of policies", name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var values map[string]any
	// The browser's own file: what else is in it is not ours to judge.
	if err := json.Unmarshal([]byte(plainJSON(string(text))), &values); err != nil || values == nil {
		return nil, fmt.Errorf("%s is no JSON object", name)
	}
	return values, nil
}

// plainJSON removes what the browser allows in policies beyond JSON: a byte
// order mark, comments, and commas behind the last element.
func plainJSON(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	var out strings.Builder
	comma := false // one is held back until an element follows it
	for text != "" {
		size := 1
		switch {
		case text[0] == '"':
			size = quoted(text)
		case strings.HasPrefix(text, "//"):
			text = text[through(text, "\n"):]
			continue
		case strings.HasPrefix(text, "/*"):
			text = text[through(text, "*/"):]
			continue
		}
		chunk := text[:size]
		text = text[size:]
		if strings.TrimSpace(chunk) == "" {
			out.WriteString(chunk)
			continue
		}
		if comma && chunk != "]" && chunk != "}" {
			out.WriteByte(',')
		}
		if comma = chunk == ","; !comma {
			out.WriteString(chunk)
		}
	}
	return out.String()
}

// quoted returns the length of the string that the text begins with.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// through returns the offset behind the mark.
func through(text, mark string) int {
	if at := strings.Index(text[len(mark):], mark); at >= 0 {
		return at + 2*len(mark)
	}
	return len(text)
}
