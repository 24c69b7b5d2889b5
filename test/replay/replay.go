// Package replay plays the recording of a voice session again: the service's
// side of it, the user's acts and the tools' outcomes against this version's
// session, its real provider included.
//
// Rules of this package:
//   - What the session sends must be what the recording says it sent: the same
//     events, in the same order on the same connection. Only the ids of requests
//     and pictures, which are random, may differ, and each stands for the same one throughout.
//   - Time is synthetic: pauses, limits and renewals are as recorded and take no
//     time.
//   - The first difference ends the play and is reported with the recording's line.
package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voice/openai"
	"github.com/actionsjson/actions-host/pkg/voice/record"
)

// maxLateDelay is how much later than recorded the session may send: the timers of a
// recording are not exact to the millisecond.
const maxLateDelay = 5 * time.Second

// Play plays the recording in a bubble of synthetic time; a difference fails the
// test.
func Play(t *testing.T, r record.Recording) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if err := play(t.Context(), r); err != nil {
			t.Error(err)
		}
	})
}

// player is a recording that is being played.
type player struct {
	recording record.Recording
	began     time.Time
	service   *service
	tools     *tools
	phone     phone
	session   *voice.Session
	started   chan error
}

// play runs within a bubble; what it began is over when it returns.
func play(ctx context.Context, r record.Recording) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &player{recording: r, began: time.Now(), service: newService(r), tools: newTools(r), phone: phone{make(chan error, 1)}, started: make(chan error, 1)}
	defer p.service.close()
	p.foresee(-1, record.Line{})
	provider, err := openai.New("http://127.0.0.1/v1", "sk-replay")
	if err != nil {
		return err
	}
	provider.Dial = p.service.network.dial
	go p.start(ctx, provider)
	for i, line := range r.Lines {
		if err := p.step(ctx, i, line); err != nil {
			return p.over(fmt.Errorf("line %d, at %d ms: %w", i+2, line.MS, err))
		}
	}
	return p.over(nil)
}

func (p *player) start(ctx context.Context, provider *openai.Provider) {
	h := p.recording.Header
	o := voice.Options{
		ID: "voice:replay", Provider: provider, Tools: p.tools, Observer: deaf{}, SpendingLimit: h.SpendingLimit,
		Setup: voice.Setup{Model: h.Model, Voice: h.Voice, Turns: h.Turns}, Memory: h.Memory, Greet: h.Greet, ResumeFrom: h.ResumeFrom,
	}
	if !h.TextOnly {
		o.Media = p.phone
	}
	session, err := voice.Start(ctx, o)
	p.session = session
	p.started <- err
}

// head holds the members that identify a line.
type head struct {
	Type   string
	By     voice.Source
	CallID string `json:"call_id"`
}

// cause reports whether the line is something that happened to the session; the
// others are what it did.
func cause(line record.Line, h head) bool {
	switch line.From {
	case voice.FromService, voice.FromUser, voice.FromTools:
		return true
	case voice.FromNetwork:
		return h.Type == "closed" && h.By == voice.FromService
	}
	return false
}

// step performs the event of the line, after the session has done what it did
// before.
func (p *player) step(ctx context.Context, i int, line record.Line) error {
	var h head
	if err := json.Unmarshal(line.Event, &h); err != nil {
		return err
	}
	if !cause(line, h) {
		return nil
	}
	p.until(line.MS)
	if err := p.compare(i); err != nil {
		return err
	}
	p.foresee(i, line)
	var err error
	switch {
	case line.From == voice.FromService:
		err = p.service.send(line.Connection, line.Event, p.began)
	case line.From == voice.FromNetwork:
		err = p.service.drop(line.Connection)
	case line.From == voice.FromUser:
		err = p.act(ctx, line.Event)
	case h.Type == "surface":
		p.tools.offer(line)
		if p.session != nil {
			p.session.Refresh()
		}
	case h.Type == "look":
		err = p.tools.show(line.Event)
	default:
		err = p.tools.finish(h.CallID, line.Event)
	}
	synctest.Wait()
	return err
}

// asked is how soon after a cause a surface counts as one that the session asked
// for because of it.
const asked = 250 // ms

// foresee changes the tool surface before a cause on which the session asks for
// it. Before the first line (i is -1) the session asks as it starts, however long that took.
func (p *player) foresee(i int, by record.Line) {
	for _, line := range p.recording.Lines[i+1:] {
		var h head
		if json.Unmarshal(line.Event, &h) != nil || i >= 0 && line.MS-by.MS > asked {
			return
		}
		switch {
		case h.Type == "surface" && line.From == voice.FromTools:
			p.tools.offer(line)
		case cause(line, h):
			return
		}
	}
}

// until lets the time pass up to the line's.
func (p *player) until(ms int64) {
	time.Sleep(time.Until(p.began.Add(time.Duration(ms) * time.Millisecond)))
	synctest.Wait()
}

// compare waits until the session has sent what it had sent before the line.
func (p *player) compare(i int) error {
	for waited := time.Duration(0); ; waited += 10 * time.Millisecond {
		missing, err := p.service.missing(i)
		if err != nil || missing == nil {
			return err
		}
		if waited >= maxLateDelay {
			return missing
		}
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
	}
}

// act does what the user did.
func (p *player) act(ctx context.Context, event json.RawMessage) error {
	var a voice.UserAction
	if err := json.Unmarshal(event, &a); err != nil {
		return err
	}
	if p.session == nil {
		return fmt.Errorf("the user acts on a session that has not started")
	}
	switch a.Type {
	case "say":
		if a.TextOnly {
			go func() { _, _ = p.session.SendAndWait(ctx, a.Text, a.Mode) }() // the answer is in the recording
			return nil
		}
		return p.session.Send(a.Text, a.Mode)
	case "inform":
		p.session.AddSystemMessage(a.Text)
		return nil
	case "note":
		p.session.AddNote(a.Text)
		return nil
	case "interrupt":
		p.session.Interrupt()
		return nil
	case "call_lost":
		p.phone.lost <- fmt.Errorf("the call broke")
		return nil
	}
	return fmt.Errorf("the user's act %q is not known", a.Type)
}

// over ends the session and compares the rest, unless a difference was found.
func (p *player) over(found error) error {
	if found == nil {
		found = p.compare(len(p.recording.Lines))
	}
	if found != nil {
		p.service.close() // a start that still waits ends
	}
	if err := <-p.started; err == nil {
		p.session.Stop()
	}
	return found
}
