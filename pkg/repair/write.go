package repair

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// The files of a repair beside the map: the version before, what was repaired, and what was undone.
const (
	keptSuffix   = ".before"
	reportSuffix = ".repair.md"
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
// returns. The files of repairs that can still be undone stay. A map that is not as it was read is left alone.
func Write(file string, before, after []byte, r Record) (kept, report string, err error) {
	target, mode, err := behind(file)
	var now []byte
	if err == nil {
		now, err = os.ReadFile(target)
	}
	if err != nil || string(now) != string(before) {
		return "", "", fault.New(fault.InstallConflict, "%s was written meanwhile, and stays as it is", r.Map).WithNextStep("Repair it again.")
	}
	r.Before, r.After = digest(before), digest(after)
	own := file
	for n := 2; exists(own + reportSuffix); n++ {
		own = file + "." + strconv.Itoa(n)
	}
	kept, report = own+keptSuffix, own+reportSuffix
	for _, one := range []struct {
		name string
		text []byte
	}{{kept, before}, {report, []byte(r.markdown())}, {target, after}} {
		if err := wholefile.Replace(one.name, one.text, mode); err != nil {
			return "", "", fault.Wrap(err, fault.StorageUnavailable, "%s cannot be written: %v", one.name, err)
		}
	}
	return kept, report, nil
}

// behind returns the file that a map's name leads to, where that is a link, and its mode: a text that
// others share stays one, and one that nobody else may read does too.
func behind(file string) (target string, mode fs.FileMode, err error) {
	if target, err = filepath.EvalSymlinks(file); err != nil {
		return "", 0, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return "", 0, err
	}
	return target, info.Mode().Perm(), nil
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

// written is a repair whose report is beside the map.
type written struct {
	Record
	own string // the name of its files, without their suffixes
}

// writtenFor returns the repairs beside a map, which are of the action unless it is empty. What cannot be read
// is no repair that could be undone.
func writtenFor(file, action string) (list []written) {
	folder, base := filepath.Split(file)
	entries, _ := os.ReadDir(filepath.Dir(file))
	for _, e := range entries {
		name, isReport := strings.CutSuffix(e.Name(), reportSuffix)
		number, numbered := strings.CutPrefix(name, base+".")
		if !isReport || name != base && !(numbered && isNumber(number)) {
			continue
		}
		if r, ok := readReport(folder + e.Name()); ok && (action == "" || r.Action == action) {
			list = append(list, written{r, folder + name})
		}
	}
	return list
}

func readReport(name string) (Record, bool) {
	text, err := os.ReadFile(name)
	var r Record
	head, _, whole := strings.Cut(string(text), headEnd)
	head, ours := strings.CutPrefix(head, headStart)
	return r, err == nil && ours && whole && json.Unmarshal([]byte(head), &r) == nil && r.Action != ""
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// Undo brings back the version of a map before the repair of the action; the repaired one stays beside
// it. A map that was written or repaired since is left alone.
func Undo(file, action string) (Record, error) {
	list := writtenFor(file, action)
	if len(list) == 0 {
		return Record{}, fault.New(fault.InvalidInput, "%s has no repair of %q to undo", file, action)
	}
	now, err := os.ReadFile(file)
	if err != nil {
		return list[0].Record, fault.Wrap(err, fault.StorageUnavailable, "the map cannot be read: %v", err)
	}
	madeNow := func(r written) bool { return r.After == digest(now) }
	i := slices.IndexFunc(list, madeNow)
	if i < 0 {
		all := writtenFor(file, "")
		if last := slices.IndexFunc(all, madeNow); last >= 0 {
			return list[0].Record, fault.New(fault.InstallConflict, "%s was repaired for %s since, and stays as it is", file, all[last].Action).
				WithNextStep("Undo that one first: actions-host repair --undo " + all[last].Action)
		}
		return list[0].Record, fault.New(fault.InstallConflict, "%s was written since its repair, and stays as it is", file).
			WithNextStep("The report " + list[0].own + reportSuffix + " has the old locators: write them back by hand.")
	}
	r := list[i]
	before, err := os.ReadFile(r.own + keptSuffix)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && digest(before) != r.Before:
		return r.Record, fault.New(fault.InstallConflict, "the version before the repair is no longer beside %s", file).WithNextStep("The report " + r.own + reportSuffix + " has the old locators.")
	case err != nil:
		return r.Record, fault.Wrap(err, fault.StorageUnavailable, "the map cannot be read: %v", err)
	}
	target, mode, err := behind(file)
	if err == nil {
		err = wholefile.Replace(r.own+undoneSuffix, now, mode)
	}
	if err == nil {
		err = wholefile.Replace(target, before, mode)
	}
	if err == nil {
		err = os.Remove(r.own + reportSuffix)
	}
	if err != nil {
		return r.Record, fault.Wrap(err, fault.StorageUnavailable, "the map cannot be written: %v", err)
	}
	return r.Record, nil
}

// Repaired returns the one of the maps that has a repair of the action beside it.
func Repaired(maps []string, action string) (string, error) {
	var files []string
	for _, file := range maps {
		if len(writtenFor(file, action)) > 0 {
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
