// Package recording keeps what the user does by hand in tabs that are recorded, and makes an
// action of it.
//
// Rules of this package:
//   - A recording is in the database after each event: the extension's worker, and this process
//     with it, may end at any moment. It ends with the claim of its tab.
//   - No text that was typed or chosen comes here. A token of the extension stands for it, also
//     where the page repeats it, and becomes an input; unless the user keeps the text as it is.
//   - What the page reports is data: it chooses among the events below and names targets.
package recording

import (
	"cmp"
	"context"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/kv"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
)

// MinProtocolTokens is the protocol from which extensions take [Recorder.ShowTokens].
const MinProtocolTokens = 16

// maxSteps bounds a recording: an action has fewer steps.
const maxSteps = 200

// remembered is how many events are known by their ids, for those that are sent once more.
const remembered = 50

// Recorder keeps the recordings of one profile. [Open] creates it; its fields are set once.
type Recorder struct {
	Catalogue *primitive.Catalogue
	// Page returns the address of a claimed tab.
	Page func(tabID int) (url string, claimed bool)
	// Taken returns an error where the page has an action of the name.
	Taken func(url, name string) error
	// Store writes a new action and returns the path of its map.
	Store func(compile.Action) (path string, err error)
	// ShowTokens has the view of a recording name the token of its last text, with which the user
	// may keep that.
	ShowTokens bool
	// Changed is called after each change; it must not block.
	Changed func()

	mu      sync.Mutex
	bucket  kv.Bucket[int, recording]
	running map[int]*recording
	results map[int]*Result
}

// recording is one that runs, as it is stored.
type recording struct {
	BrowserSession string    `json:"browser_session"`
	Name           string    `json:"name,omitzero"`
	URL            string    `json:"url"`                 // where it began
	Parameters     bool      `json:"parameters,omitzero"` // that address had some, which are not kept
	StartedAt      time.Time `json:"started_at"`
	Paused         bool      `json:"paused,omitzero"`
	Checking       bool      `json:"checking,omitzero"`
	Steps          []step    `json:"steps"`
	Seen           []string  `json:"seen,omitzero"` // ids of the last events
}

// step is one event, and what followed from it.
type step struct {
	protocol.Recorded
	At        time.Time `json:"at"`
	Navigated string    `json:"navigated,omitzero"`
	OpenedTab bool      `json:"opened_tab,omitzero"`
	Kept      *string   `json:"kept,omitzero"` // the text of Token, which stays the same each time
}

// State is the recording of a tab, and what became of the last one, or of its last Done.
type State struct {
	Recording *protocol.Recording `json:"recording,omitzero"`
	Result    *Result             `json:"result,omitzero"`
}

// Open restores the recordings of this run of the browser from a database.
func Open(db *bbolt.DB, browserSession string) (*Recorder, error) {
	r := &Recorder{
		bucket:  kv.Bucket[int, recording]{DB: db, Name: "recordings", What: "the recordings"},
		running: map[int]*recording{}, results: map[int]*Result{},
	}
	err := r.bucket.Each(func(tabID int, of recording) {
		if of.BrowserSession == browserSession && of.URL != "" {
			r.running[tabID] = &of
		}
	})
	return r, err
}

// Running lists the recordings, in the order of their tabs.
func (r *Recorder) Running() []protocol.Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []protocol.Recording
	for tabID, of := range r.running {
		all = append(all, *r.view(tabID, of))
	}
	slices.SortFunc(all, func(a, b protocol.Recording) int { return cmp.Compare(a.TabID, b.TabID) })
	return all
}

func (r *Recorder) view(tabID int, of *recording) *protocol.Recording {
	v := &protocol.Recording{TabID: tabID, Name: of.Name, Steps: len(of.Steps), Paused: of.Paused, Checking: of.Checking}
	if n := len(of.Steps); n > 0 && r.ShowTokens {
		v.Token, v.Kept = of.Steps[n-1].Token, of.Steps[n-1].Kept != nil
	}
	return v
}

// Control does what the user wants of the recording of a tab.
func (r *Recorder) Control(_ context.Context, browserSession string, p protocol.RecordControl) (State, error) {
	address, claimed := r.Page(p.TabID)
	if !claimed {
		return State{}, fault.New(fault.TabNotClaimed, "tab %d is not under control, and nothing of it is recorded", p.TabID).WithDispatched(fault.NotDispatched)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.running[p.TabID]
	switch {
	case p.Do == "view":
		return r.state(p.TabID), nil
	case p.Do == "start":
		return r.start(p, browserSession, address, of)
	case of == nil:
		return State{}, fault.New(fault.StateMismatch, "tab %d is not recorded", p.TabID).WithNextStep("Begin with Record in the popup, or with actions-host record NAME.")
	}
	switch p.Do {
	case "pause", "resume":
		of.Paused, of.Checking = p.Do == "pause", false
	case "check":
		of.Paused, of.Checking = false, !of.Checking
	case "undo":
		of.Steps, of.Checking = of.Steps[:max(0, len(of.Steps)-1)], false
	case "keep", "vary":
		if err := of.keep(p); err != nil {
			return State{}, err
		}
	case "done", "cancel":
		return r.end(p, of)
	}
	return r.keep(p.TabID, of)
}

func (r *Recorder) start(p protocol.RecordControl, browserSession, address string, of *recording) (State, error) {
	if of != nil {
		return State{}, fault.New(fault.StateMismatch, "tab %d is recorded already", p.TabID).WithNextStep("End that recording with Done first.")
	}
	if err := compile.CheckName(p.Name); err != nil {
		return State{}, err
	}
	if p.Name != "" {
		if err := r.Taken(address, p.Name); err != nil {
			return State{}, err
		}
	}
	of = &recording{BrowserSession: browserSession, Name: p.Name, URL: origin.Page(address), Parameters: hasParameters(address), StartedAt: time.Now().UTC(), Steps: []step{}}
	delete(r.results, p.TabID)
	r.running[p.TabID] = of
	state, err := r.keep(p.TabID, of)
	if err != nil {
		delete(r.running, p.TabID)
	}
	return state, err
}

// hasParameters reports whether the address says more than its path which page it is.
func hasParameters(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.RawQuery != "" || strings.HasPrefix(u.Fragment, "/") || strings.HasPrefix(u.Fragment, "!"))
}

// samePath reports whether two addresses have the same path, however that is written.
func samePath(a, b string) bool {
	one, err := url.Parse(a)
	other, err2 := url.Parse(b)
	return err == nil && err2 == nil && one.Host == other.Host && one.Path == other.Path
}

// keep stores the recording.
func (r *Recorder) keep(tabID int, of *recording) (State, error) {
	delete(r.results, tabID)
	r.Changed()
	return r.state(tabID), r.bucket.Put(tabID, *of)
}

// end makes the action, unless the user gives the recording up. One of which none can be made goes on,
// so that the user may take back what is in the way.
func (r *Recorder) end(p protocol.RecordControl, of *recording) (State, error) {
	var result *Result
	if p.Do == "cancel" {
		result = &Result{Error: fault.New(fault.Cancelled, "the recording was given up")}
	} else {
		result = r.make(of)
	}
	r.results[p.TabID] = result
	if p.Do == "done" && result.Error != nil && len(of.Steps) > 0 {
		r.Changed()
		return r.state(p.TabID), nil
	}
	delete(r.running, p.TabID)
	r.Changed()
	err := r.bucket.Delete(p.TabID)
	return r.state(p.TabID), err
}

func (r *Recorder) state(tabID int) State {
	s := State{Result: r.results[tabID]}
	if of := r.running[tabID]; of != nil {
		s.Recording = r.view(tabID, of)
	}
	return s
}

// Event takes something that the user did. Of a tab that is not recorded, or while the
// recording is paused, it counts for nothing.
func (r *Recorder) Event(_ context.Context, e protocol.Recorded) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.running[e.TabID]
	if of == nil || of.Paused || slices.Contains(of.Seen, e.ID) {
		return nil
	}
	if of.Seen = append(of.Seen, e.ID); len(of.Seen) > remembered {
		of.Seen = of.Seen[1:]
	}
	if !of.take(e) {
		return nil
	}
	_, err := r.keep(e.TabID, of)
	return err
}

// take adds the event to the steps and reports whether it changed them.
func (of *recording) take(e protocol.Recorded) bool {
	last := &step{}
	if len(of.Steps) > 0 {
		last = &of.Steps[len(of.Steps)-1]
	}
	// Of a page that the user goes to by its address, the parameters say which one it is.
	if e.Event != "navigate" || redact.URL(e.URL) != e.URL {
		e.URL = origin.Page(e.URL)
	}
	switch e.Event {
	case "page":
		if len(of.Steps) == 0 || last.Navigated == e.URL || last.Navigated == "" && last.URL == e.URL {
			return false
		}
		last.Navigated = e.URL
		return true
	case "tab_opened":
		changed := len(of.Steps) > 0 && !last.OpenedTab
		last.OpenedTab = last.OpenedTab || changed
		return changed
	case "navigate":
		of.add(e, cmp.Or(last.Navigated, last.URL, of.URL))
		return true
	}
	if e.Target.Tag == "" || e.Event == "drag" && e.Destination.Tag == "" {
		return false
	}
	same := func(s step) bool { return reflect.DeepEqual(s.Target, e.Target) }
	switch {
	case e.Event == "assert":
		of.Checking = false
	case slices.Contains([]string{"fill", "select", "check"}, e.Event) && last.Event == e.Event && same(*last):
		last.Token, last.Checked, last.Kept = e.Token, e.Checked, nil
		return true
	case e.Event == "double_click": // its two clicks came before
		var clicks, its int
		for _, s := range slices.Backward(of.Steps[max(0, len(of.Steps)-2):]) {
			if s.Event != "click" {
				break
			}
			if clicks++; sameWords(s.Target, e.Target) && slices.Equal(s.Modifiers, e.Modifiers) {
				its++
			}
		}
		if clicks == 2 && its == 1 {
			return false // the first click renamed it, or had other keys: they were two presses
		}
		of.Steps = of.Steps[:len(of.Steps)-its]
	}
	of.add(e, e.URL)
	return true
}

// sameWords reports whether two targets are called the same, whatever else the page has changed of them.
func sameWords(a, b protocol.MetTarget) bool {
	return a.Tag == b.Tag && a.Role == b.Role && a.Name == b.Name && a.Label == b.Label && a.Text == b.Text
}

func (of *recording) add(e protocol.Recorded, page string) {
	if len(of.Steps) >= maxSteps {
		return
	}
	s := step{Recorded: e, At: time.Now().UTC()}
	if e.Event == "navigate" {
		s.Navigated, s.URL = e.URL, page
	}
	of.Steps = append(of.Steps, s)
}

// Forget ends the recording of a tab that is closed or released.
func (r *Recorder) Forget(tabID int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.results, tabID)
	if r.running[tabID] == nil {
		return nil
	}
	delete(r.running, tabID)
	r.Changed()
	return r.bucket.Delete(tabID)
}

// Retain ends the recordings of tabs that are no longer claimed, and those of earlier runs of
// the browser.
func (r *Recorder) Retain(claims []int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for tabID := range r.running {
		if !slices.Contains(claims, tabID) {
			delete(r.running, tabID)
		}
	}
	return r.bucket.Retain(func(tabID int, _ recording) bool { return r.running[tabID] != nil })
}
