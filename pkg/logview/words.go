package logview

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/journal"
)

// mark is the sign before a line.
func (e entry) mark() (string, Style) {
	switch {
	case e.kind == started:
		return "▸", Attention
	case e.failed(), e.Type == journal.TypeRecovered, e.Type == journal.TypeDamaged:
		return "✗", Bad
	case e.unknown():
		return "·", Faint
	case e.kind == ended:
		return "✓", Good
	case e.kind == asked:
		return "?", Attention
	case e.kind == answered && *e.decided.Allow:
		return "✓", Good
	case e.kind == answered:
		return "✗", Bad
	default:
		return "·", Faint
	}
}

// title names what a line is about.
func (e entry) title() string {
	switch {
	case e.kind == started, e.kind == ended, e.kind == refused, e.kind == asked, e.kind == answered && e.Name != "":
		return e.subject()
	case e.kind == answered:
		return "approval"
	case e.kind == spoken:
		role, _ := e.turn()
		return role
	}
	switch e.Type {
	case journal.TypeClaim:
		return "tab handed over"
	case journal.TypeRelease:
		return "tab given back"
	case journal.TypeHandshake:
		return "browser connected"
	case journal.TypeSessionStarted:
		return "session started"
	case journal.TypeSessionNamed:
		return "session named"
	case journal.TypeSessionEnded:
		return "session ended"
	case journal.TypeRecovered:
		return "log recovered"
	case journal.TypeDamaged:
		return "record damaged"
	case journal.TypeDOMEvent:
		return "page event"
	case journal.TypePageTool:
		return "page tool"
	case journal.TypePolicy:
		switch e.decided.Event {
		case journal.EventStopped:
			return "agents stopped by the user"
		case journal.EventLetGoOn:
			return "agents let go on by the user"
		case journal.EventWrongCode:
			return "wrong code for a question"
		case journal.EventQuestionWithdrawn:
			return "question withdrawn"
		case journal.EventAnswerNotOffered:
			return "answer that was not offered"
		}
		if e.decided.Scope != "" {
			return "grant taken back"
		}
		return "page event dropped"
	case journal.TypeLifecycle:
		return strings.ReplaceAll(strings.TrimPrefix(e.Name, "agent."), "_", " ")
	default:
		return e.Type
	}
}

// time returns the text for the column of durations.
func (e entry) time() string {
	switch {
	case e.kind == refused:
		return "refused"
	case e.Type == journal.TypeInterrupted:
		return "cut off"
	case e.kind == ended:
		return Took(e.took())
	case e.kind == asked:
		return "asks"
	default:
		return ""
	}
}

// detail returns in a few words what it was about and what came of it.
func (e entry) detail(limit int) string {
	d := e.payload
	switch e.kind {
	case ended, refused:
		if f := e.fault(); f != nil {
			return joined(" ← ", string(f.Code)+": "+f.Message, Brief(e.arguments(), limit))
		}
		given := Brief(e.arguments(), limit)
		if e.ParentID != "" && given != "" {
			return given // what a step found is for the report
		}
		steps := ""
		if ran := e.ran(); ran > 0 {
			steps = counted(ran, "step")
		}
		return joined(" → ", joined(", ", given, steps), Brief(d.Output, limit))
	case started:
		return Brief(e.arguments(), limit)
	case asked:
		return joined(": ", fmt.Sprintf("approval %s, effect %s on %s", d.ID, strings.Join(d.Effects, ", "), d.Origin), Brief(json.RawMessage(d.Summary), limit))
	case answered:
		answer := "denied"
		if *e.decided.Allow {
			answer = "allowed"
		}
		return joined(", ", joined(", ", fmt.Sprintf("approval %s %s, %s", e.decided.Approval, answer, e.decided.Scope), string(e.decided.Face)), e.decided.Event)
	case spoken:
		_, text := e.turn()
		return text
	}
	switch e.Type {
	case journal.TypeClaim:
		return joined("  ", d.Title, d.URL)
	case journal.TypeRelease:
		return joined(" ", fmt.Sprintf("tab %d", d.TabID), d.Reason)
	case journal.TypeHandshake:
		return fmt.Sprintf("%s %s, extension %s", d.Browser.Name, d.Browser.Version, d.ExtensionVersion)
	case journal.TypeSessionNamed:
		return d.Name
	case journal.TypeSessionStarted:
		return e.client()
	case journal.TypeRecovered, journal.TypeDamaged:
		var found journal.Damage
		if json.Unmarshal(e.Data, &found) != nil {
			return d.Problem
		}
		return found.String()
	case journal.TypeDOMEvent:
		return joined("  ", d.Event, d.URL)
	case journal.TypePolicy:
		switch e.decided.Event {
		case journal.EventStopped, journal.EventLetGoOn:
			return e.stopDetail()
		case journal.EventWrongCode, journal.EventQuestionWithdrawn, journal.EventAnswerNotOffered:
			return joined(", ", fmt.Sprintf("approval %s on %s", e.decided.Approval, e.decided.Origin), string(e.decided.Face))
		}
		if e.decided.Scope != "" {
			return joined(" on ", string(e.decided.Effect), d.Origin)
		}
		return joined(": ", d.Event, d.Reason)
	case journal.TypeLifecycle:
		return Brief(d.Data, limit)
	default:
		return Brief(e.Data, limit)
	}
}

// stopDetail returns where the user stopped agents, or let them go on.
func (e entry) stopDetail() string {
	texts := []string{string(e.decided.Face)}
	if e.decided.TabID != 0 {
		texts = append(texts, fmt.Sprintf("tab %d", e.decided.TabID))
	}
	if e.decided.Ended > 0 {
		texts = append(texts, counted(e.decided.Ended, "call")+" ended")
	}
	return strings.Join(texts, ", ")
}

// ran counts the steps of an action that were not skipped.
func (e entry) ran() (n int) {
	for _, s := range e.payload.StepList() {
		if !s.Skipped {
			n++
		}
	}
	return n
}

func joined(by, a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + by + b
}

func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
