package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/printable"
)

// questionLine is what launch --json prints of a call that waits for the user.
type questionLine struct {
	Question launch.Question `json:"question"`
}

// questionPrinter prints the questions of a launched browser, after its ready line.
type questionPrinter struct {
	app     *app
	mu      sync.Mutex
	begun   bool
	waiting []launch.Question
}

func newQuestionPrinter(a *app) *questionPrinter { return &questionPrinter{app: a} }

// begin prints what came before the ready line, and from now on all at once.
func (p *questionPrinter) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun = true
	for _, q := range p.waiting {
		p.write(q)
	}
}

func (p *questionPrinter) print(q launch.Question) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun {
		p.waiting = append(p.waiting, q)
		return
	}
	p.write(q)
}

func (p *questionPrinter) write(q launch.Question) {
	if p.app.json {
		p.app.printJSON(questionLine{q})
		return
	}
	fmt.Fprintf(p.app.stdout, "? %s on %s %v, refused in %s\n    %s\n    actions-host approvals allow %s --code %s\n",
		printable.Escape(q.Name), q.Origin, q.Effects, time.Until(q.ExpiresAt).Round(time.Second), printable.Escape(q.Summary), q.ID, q.Code)
}
