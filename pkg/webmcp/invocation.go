package webmcp

import (
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
	Lost      State = "lost" // its end can no longer come
)

// Loss is why an invocation's end can no longer be relied on.
type Loss string

// The three losses.
const (
	LostDocument     Loss = "the document of the tool was left"
	LostRegistration Loss = "the page took the tool back while it ran"
	LostDebugger     Loss = "the debugger was taken off the tab"
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
}

// Others is the maker of an invocation that no caller of this host made: the page
// itself, or another client of the browser.
const Others = "others"

type run struct {
	Invocation
	session  string // of the debugger
	doc      *document
	response Response
	done     chan struct{} // closed when the answer is there
	lost     chan struct{} // closed when it can hardly come any more
	named    chan struct{} // closed when its id is known or will never be
	why      Loss
	order    int
}

// Run is an invocation of this host's.
type Run struct {
	r *Registry
	*run
}

func newRun(i Invocation, doc *document) *run {
	i.State, i.Started = Running, time.Now().UTC()
	return &run{Invocation: i, doc: doc, done: make(chan struct{}), lost: make(chan struct{}), named: make(chan struct{})}
}

// Begin notes that the tool is about to be invoked; nil where it is gone. The run
// must be Sent or Dropped.
func (r *Registry) Begin(toolID, by string) *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, t := r.find(toolID)
	if t == nil {
		return nil
	}
	one := newRun(Invocation{Tool: t.Name, Origin: f.doc.origin, By: by}, f.doc)
	one.session = f.session
	r.runs.unnamed[one] = true
	return &Run{r, one}
}

// Sent gives the run the id that the browser answered with. Events may have
// come before the answer. It gives what is to be told of others.
func (n *Run) Sent(id string) []Invocation {
	n.r.mu.Lock()
	defer n.r.mu.Unlock()
	all := &n.r.runs
	all.settle(n.run)
	if early := all.byID[id]; early != nil && early.By == "" {
		all.undecided = slices.DeleteFunc(all.undecided, func(u *run) bool { return u == early })
		n.run.Started, n.run.response, n.run.State, n.run.Ended = early.Started, early.response, early.State, early.Ended
		if over(early.done) {
			close(n.run.done)
		}
	}
	n.run.ID = id
	all.keep(n.run)
	return all.decide()
}

// Dropped ends a run that did not get an id.
func (n *Run) Dropped() []Invocation {
	n.r.mu.Lock()
	defer n.r.mu.Unlock()
	n.r.runs.settle(n.run)
	return n.r.runs.decide()
}

// OnItsWay gives a channel that is closed when an invocation of the caller's whose
// id the browser has not said yet has one, or will never have; nil where none is.
func (r *Registry) OnItsWay(by string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	for one := range r.runs.unnamed {
		if one.By == by {
			return one.named
		}
	}
	return nil
}

// Done is closed when the answer is there.
func (n *Run) Done() <-chan struct{} { return n.done }

// Lost is closed when the answer can hardly come any more.
func (n *Run) Lost() <-chan struct{} { return n.lost }

// Response gives the answer once Done is closed.
func (n *Run) Response() Response {
	n.r.mu.Lock()
	defer n.r.mu.Unlock()
	return n.response
}

// Loss tells why the answer can hardly come any more; empty while it can.
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

// Invocation gives the one of the id, and the debugger's session that it is in.
func (r *Registry) Invocation(id string) (i Invocation, session string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.runs.byID[id]
	if one == nil {
		return Invocation{}, "", false
	}
	return one.Invocation, one.session, true
}
