package repair

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// The files beside a map: its last version, and what was repaired.
const (
	keptSuffix   = ".before"
	ReportSuffix = ".repair.md"
	undoneSuffix = ".repaired"
)

// Evidence is why an element takes the place of another.
type Evidence struct {
	Step, Pointer, State, Was, By string
	Candidate                     Candidate
}

// Record is a repair as the report keeps it.
type Record struct {
	Action        string     `json:"action"`
	Map           string     `json:"map"`
	Postcondition string     `json:"postcondition"`
	Before        string     `json:"before"` // SHA-256 of the texts
	After         string     `json:"after"`
	Diff          string     `json:"-"`
	Evidence      []Evidence `json:"-"`
}

// Write writes the repaired map, with its last version and the report beside it, whose names it
// returns. A map that is not as it was read is left alone.
func Write(file string, before, after []byte, r Record) (kept, report string, err error) {
	if now, err := os.ReadFile(file); err != nil || string(now) != string(before) {
		return "", "", fault.New(fault.InstallConflict, "%s was written meanwhile, and stays as it is", r.Map).WithNextStep("Repair it again.")
	}
	r.Before, r.After = digest(before), digest(after)
	kept, report = file+keptSuffix, file+ReportSuffix
	for _, one := range []struct {
		name string
		text []byte
	}{{kept, before}, {report, []byte(r.markdown())}, {file, after}} {
		if err := wholefile.Replace(one.name, one.text, 0o644); err != nil {
			return "", "", fault.Wrap(err, fault.StorageUnavailable, "%s cannot be written: %v", one.name, err)
		}
	}
	return kept, report, nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

const (
	headStart = "<!-- actions-host repair "
	headEnd   = " -->\n"
)

// markdown is the report for a person; its first line is for Undo.
func (r Record) markdown() string {
	head, err := json.Marshal(r) // it escapes what could end the comment
	if err != nil {
		head = []byte("{}") // not reachable: it is made of strings
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s%s\n# Repair of %s\n\nProved by the postcondition on `%s`. Undo: `actions-host repair --undo %s`\n\n```diff\n%s```\n", headStart, head, headEnd, r.Action, r.Postcondition, r.Action, r.Diff)
	for _, e := range r.Evidence {
		fmt.Fprintf(&b, "\n## %s\n\n%s was %s; %s takes its place, found by its %s, with a score of %.2f.\n\n| attribute | was | is | agrees |\n|---|---|---|---|\n",
			strings.TrimSpace("Step "+e.Step), e.Was, e.State, Title(e.Candidate.Target), e.By, e.Candidate.Score)
		for _, a := range e.Candidate.Agreements {
			fmt.Fprintf(&b, "| %s | %s | %s | %.2f |\n", a.Attribute, cell(a.Was), cell(a.Now), a.Agrees)
		}
	}
	return b.String()
}

// cell keeps a page's text inside its cell.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "`", "'", "<", "&lt;").Replace(text)
}

// ReadReport returns what the report beside a map says; false where none is there.
func ReadReport(file string) (Record, bool) {
	text, err := os.ReadFile(file + ReportSuffix)
	var r Record
	head, _, whole := strings.Cut(string(text), headEnd)
	head, ours := strings.CutPrefix(head, headStart)
	return r, err == nil && ours && whole && json.Unmarshal([]byte(head), &r) == nil && r.Action != ""
}

// Undo brings back the version of a map before its repair; the repaired one stays beside it.
// A map that was written since is left alone.
func Undo(file string) (Record, error) {
	r, ok := ReadReport(file)
	if !ok {
		return r, fault.New(fault.InvalidInput, "%s has no repair to undo", file)
	}
	now, err := os.ReadFile(file)
	before, err2 := os.ReadFile(file + keptSuffix)
	switch {
	case errors.Join(err, err2) != nil && errors.Is(err2, fs.ErrNotExist), err2 == nil && digest(before) != r.Before:
		return r, fault.New(fault.InstallConflict, "the version before the repair is no longer beside %s", file).WithNextStep("The report " + file + ReportSuffix + " has the old locators.")
	case errors.Join(err, err2) != nil:
		return r, fault.Wrap(errors.Join(err, err2), fault.StorageUnavailable, "the map cannot be read: %v", errors.Join(err, err2))
	case digest(now) != r.After:
		return r, fault.New(fault.InstallConflict, "%s was written since its repair, and stays as it is", file).WithNextStep("The report " + file + ReportSuffix + " has the old locators: write them back by hand.")
	}
	err = wholefile.Replace(file+undoneSuffix, now, 0o644)
	if err == nil {
		err = wholefile.Replace(file, before, 0o644)
	}
	if err == nil {
		err = os.Remove(file + ReportSuffix)
	}
	if err != nil {
		return r, fault.Wrap(err, fault.StorageUnavailable, "the map cannot be written: %v", err)
	}
	return r, nil
}

// Repaired returns the one of the maps that has a repair of the action beside it.
func Repaired(maps []string, action string) (string, error) {
	var files []string
	for _, file := range maps {
		if r, ok := ReadReport(file); ok && r.Action == action {
			files = append(files, file)
		}
	}
	switch {
	case len(files) == 0:
		return "", fault.New(fault.UnknownAction, "no map has a repair of %q to undo", action).
			WithNextStep("A repair is undone by the report beside its map. Where that is gone, bring back the .before file by hand.")
	case len(files) > 1:
		return "", fault.New(fault.InvalidInput, "%d maps have a repair of %s: %s", len(files), action, strings.Join(files, ", ")).
			WithNextStep("Bring back the .before file of the one that you mean by hand.")
	}
	return files[0], nil
}
