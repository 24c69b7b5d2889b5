package registry

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"
)

// State is where an invocation is.
type State string

// The states of an invocation.
const (
	Running   State = "running"
	Done      State = "completed"
	Cancelled State = "cancelled"
	Errored   State = "failed"
	Lost      State = "lost" // its end can hardly come any more
)

// Loss is why an invocation's end can no longer be relied on. That the page unregisters the
// tool is none: what runs goes on, and its answer comes.
type Loss string

// The two losses.
const (
	LostDocument Loss = "the document of the tool was left"
	LostDebugger Loss = "the debugger was taken off the tab"
)

// Invocation is one run of a tool.
type Invocation struct {
	ID      string    `json:"invocation_id"`
	Tool    string    `json:"tool"`
	Origin  string    `json:"origin,omitzero"`
	By      string    `json:"by"` // session_id of this host's caller, or others
	State   State     `json:"state"`
	Started time.Time `json:"started_at"`
	Ended   time.Time `json:"ended_at,omitzero"`

	// Input is reported once, for the log, for invocations of other clients. Callers do not get
	// it.
	Input *Input `json:"-"`
}

// OtherClient is By of an invocation that no caller of this host made: the page itself, or
// another client of the browser.
const OtherClient = "others"

type run struct {
	Invocation
	session  string // of the debugger
	doc      *document
	next     *document // the one that came after doc and may bring the answer
	response Response
	done     chan struct{} // closed when there is an answer
	lost     chan struct{} // closed when it can hardly come any more
	resolved chan struct{} // closed when its id is known or will never be
	why      Loss
	order    int
	detached bool         // nobody waits for its end
	expected *expectation // nil where the browser returns the ID
}

// Run is an invocation of this host's.
type Run struct {
	r *Registry
	*run
}

// isOwn reports whether a caller of this host made it.
func (one *run) isOwn() bool { return one.By != "" && one.By != OtherClient }

func newRun(i Invocation, doc *document) *run {
	i.State, i.Started = Running, time.Now().UTC()
	return &run{Invocation: i, doc: doc, done: make(chan struct{}), lost: make(chan struct{}), resolved: make(chan struct{})}
}

// Begin notes that the tool is about to be invoked; nil where it is gone. The caller must then
// call SetID or Abandon.
func (r *Registry) Begin(toolID, by string) *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, t := r.find(toolID)
	if t == nil {
		return nil
	}
	one := newRun(Invocation{Tool: t.Name, Origin: f.doc.origin, By: by}, f.doc)
	one.session = f.session
	r.runs.pendingID[one] = true
	return &Run{r, one}
}

// Detach makes the end of the run reported, as those of other clients are. It returns the run
// where that has come already.
func (n *Run) Detach() []Invocation {
	n.r.mu.Lock()
	defer n.r.mu.Unlock()
	n.run.detached = true
	if n.run.Invocation.State == Running {
		return nil
	}
	return []Invocation{n.run.Invocation}
}

// Expect makes the run take its ID from the event that the tool was invoked with the input. An
// equal invocation of the page's own at that moment has an equal answer.
func (n *Run) Expect(input json.RawMessage) error {
	n.r.mu.Lock()
	defer n.r.mu.Unlock()
	n.run.expected = &expectation{bytes: len(input)}
	return json.Unmarshal(input, &n.run.expected.input)
}

// expectation is the input by which the event that a run began is known.
type expectation struct {
	input any
	bytes int
}

// matches reports whether the event of the document is the one that the run expects.
func (one *run) matches(e ToolInvoked, doc *document) bool {
	var input any
	if one.expected == nil || one.doc != doc || one.Tool != e.Tool {
		return false
	}
	if e.Input.Value == nil { // too large to be compared
		return one.expected.bytes > maxInput/2
	}
	return json.Unmarshal(e.Input.Value, &input) == nil && reflect.DeepEqual(one.expected.input, input)
}

// SetID sets the ID that the browser answered with. Events may have come before the answer. It
// returns the invocations of other clients that are to be reported.
func (n *Run) SetID(id string) []Invocation {
	n.r.mu.Lock()
	defer n.r.mu.Unlock()
	all := &n.r.runs
	all.resolve(n.run)
	if early := all.byID[id]; early != nil && early.By == "" {
		all.undecided = slices.DeleteFunc(all.undecided, func(u *run) bool { return u == early })
		n.run.Started, n.run.response, n.run.State, n.run.Ended = early.Started, early.response, early.State, early.Ended
		if isClosed(early.done) {
			close(n.run.done)
		}
	}
	n.run.ID = id
	all.add(n.run)
	return all.attribute()
}

// Abandon ends a run that did not get an id; one that has it goes on.
func (n *Run) Abandon() []Invocation {
	n.r.mu.Lock()
	defer n.r.mu.Unlock()
	if isClosed(n.resolved) {
		return nil
	}
	n.r.runs.resolve(n.run)
	return n.r.runs.attribute()
}

// Resolved is closed when the run has its ID or will never have one.
func (n *Run) Resolved() <-chan struct{} { return n.resolved }

// Run returns a run of this host's callers; nil for any other.
func (r *Registry) Run(id string) *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.runs.byID[id]; one != nil && one.isOwn() {
		return &Run{r, one}
	}
	return nil
}

// PendingID returns a channel closed once the caller's in-flight invocation has an ID or never
// will. It returns nil if none is in flight.
func (r *Registry) PendingID(by string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	for one := range r.runs.pendingID {
		if one.By == by {
			return one.resolved
		}
	}
	return nil
}

// Done is closed when there is an answer.
func (n *Run) Done() <-chan struct{} { return n.done }

// Lost is closed when the answer can hardly come any more.
func (n *Run) Lost() <-chan struct{} { return n.lost }

// State returns where the run is.
func (n *Run) State() State {
	n.r.mu.Lock()
	defer n.r.mu.Unlock()
	return n.run.Invocation.State
}

// Response returns the answer once Done is closed.
func (n *Run) Response() Response {
	n.r.mu.Lock()
	defer n.r.mu.Unlock()
	return n.response
}

// Loss returns why the answer may not come; empty while nothing stands against it. Lost is
// closed when nothing is left that could bring it.
func (n *Run) Loss() Loss {
	n.r.mu.Lock()
	defer n.r.mu.Unlock()
	return n.why
}

// Invocations lists what is remembered, the latest first.
func (r *Registry) Invocations() []Invocation {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Invocation
	for _, one := range r.runs.sorted() {
		if one.By != "" {
			all = append(all, one.Invocation)
		}
	}
	slices.Reverse(all)
	return all
}

// Invocation returns the invocation with the ID, and its debugger session.
func (r *Registry) Invocation(id string) (i Invocation, session string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.runs.byID[id]
	if one == nil {
		return Invocation{}, "", false
	}
	return one.Invocation, one.session, true
}
