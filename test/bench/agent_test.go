package bench

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// driver puts what an agent means into the calls of one server, as someone does who
// has read the descriptions of its tools. A shows asks for a look with the act.
type driver interface {
	open(url string) []step
	leave(url string) []step // open, also where the page holds changes
	look(whole bool) []step  // whole: texts, too, where the server can do with less
	form(fields []entry) []step
	click(at node, shows bool) []step
	press(key string, shows bool) []step
	write(at node, text string) []step // key by key
	scroll(inside node, pixels int) []step
	drag(from, to node) []step
	upload(at node, file string) []step
	answer(accept bool, text string) []step // of a dialog
	await(text string) []step
	// see reads what an answer shows of the page: all of it, or what changed.
	see(answer string) (nodes []node, all bool)
	// byWords reports whether the server takes the element by its words, without a ref.
	byWords(e element) bool
}

// field is an element of a form and what it is to hold: "true" checks a box.
type field struct {
	element
	value string
}

// entry is a field that was found.
type entry struct {
	node
	field
}

// agent does a task by its script, through one server. The first thing that goes
// wrong ends the task; what it has cost until then counts.
type agent struct {
	*contender
	driver driver
	ctx    context.Context // ends when the task has taken too long
	nodes  []node          // the page as it was last seen; none before the first look
	shown  string          // the last answer that showed it
	calls  int
	err    error
	// refused is why the last act had to be made again.
	refused error
}

const (
	// actsAtMost is how often an agent makes an act that is refused.
	actsAtMost = 3
	// looksAtMost is how often an agent looks for what is not there.
	looksAtMost = 5
	// againInterval is the pace of what is done again: no page has an event for an
	// agent, and a model takes longer to ask again. It is paid.
	againInterval = 200 * time.Millisecond
)

// do makes calls and returns the last answer.
func (a *agent) do(steps []step) (answer string) {
	for _, s := range steps {
		if a.err == nil {
			a.calls++
			answer, a.err = a.server.try(a.ctx, s.tool, s.args)
		}
	}
	return answer
}

// act makes the calls of an act. One that a server refuses, as its target is covered for
// instance, is made again after another look, as an agent does; all are paid.
func (a *agent) act(steps func() []step) (answer string) {
	for tries := range actsAtMost {
		if tries > 0 {
			a.pause()
		}
		made := steps()
		if a.err != nil {
			return ""
		}
		if answer = a.do(made); a.err == nil || a.ctx.Err() != nil {
			return answer
		}
		a.refused, a.err, a.nodes = a.err, nil, nil
	}
	a.err = a.refused
	return ""
}

// pause waits before something is done again.
func (a *agent) pause() {
	select {
	case <-time.After(againInterval):
	case <-a.ctx.Done():
	}
}

// open loads a page, which the agent does not know yet.
func (a *agent) open(page string) {
	a.do(a.driver.open(a.site + "/" + page))
	a.nodes = nil
}

func (a *agent) look(whole bool) { a.watch(a.do(a.driver.look(whole))) }

// watch takes what an answer shows of the page.
func (a *agent) watch(answer string) {
	if a.err != nil {
		return
	}
	nodes, all := a.driver.see(answer)
	if !all { // what is new comes first
		nodes = append(nodes, a.nodes...)
	}
	a.nodes, a.shown = nodes, answer
}

// find finds an element on the page as it was last seen, and else looks.
func (a *agent) find(e element) node {
	for looks := 0; a.err == nil; looks++ {
		if n, ok := pick(a.nodes, e); ok {
			return n
		}
		if looks > 0 && a.driver.byWords(e) {
			return node{name: e.name, css: e.css}
		}
		if looks == looksAtMost {
			a.err = fmt.Errorf("the page shows no %s %q: %s", e.role, e.name, a.shown)
			break
		}
		if looks > 0 {
			a.pause()
		}
		a.look(e.role == "")
	}
	return node{}
}

// sees has the agent wait for the result of what it did, unless it has it already.
func (a *agent) sees(text string) {
	if !strings.Contains(a.shown, text) {
		a.do(a.driver.await(text))
	}
}

// form fills in fields that are there together.
func (a *agent) form(fields ...field) {
	a.act(func() []step {
		entries := make([]entry, len(fields))
		for i, f := range fields {
			entries[i] = entry{a.find(f.element), f}
		}
		return a.driver.form(entries)
	})
}

func (a *agent) click(e element) {
	a.act(func() []step { return a.driver.click(a.find(e), false) })
}

// clickAndLook is click where the page is about to change.
func (a *agent) clickAndLook(e element) {
	a.watch(a.act(func() []step { return a.driver.click(a.find(e), true) }))
}

func (a *agent) press(key string) {
	a.act(func() []step { return a.driver.press(key, false) })
}

func (a *agent) pressAndLook(key string) {
	a.watch(a.act(func() []step { return a.driver.press(key, true) }))
}

// dialog clicks what opens a dialog, which some servers call a failure, and answers that.
func (a *agent) dialog(e element, accept bool, text string) {
	a.do(a.driver.click(a.find(e), false))
	if a.err != nil && strings.Contains(strings.ToLower(a.err.Error()), "dialog") {
		a.err = nil
	}
	a.do(a.driver.answer(accept, text))
	a.nodes, a.shown = nil, ""
}

func (a *agent) write(e element, text string) {
	a.act(func() []step { return a.driver.write(a.find(e), text) })
}

func (a *agent) scroll(inside element, pixels int) {
	a.act(func() []step { return a.driver.scroll(a.find(inside), pixels) })
	a.nodes = nil
}

func (a *agent) drag(from, to element) {
	a.act(func() []step {
		first := a.find(from)
		return a.driver.drag(first, a.find(to))
	})
}

func (a *agent) upload(e element, file string) {
	a.act(func() []step { return a.driver.upload(a.find(e), file) })
}
