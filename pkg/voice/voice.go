// Package voice holds a conversation with a model that listens, speaks and uses
// tools: the hosted agent. It lives in the host; a provider's connection and
// the browser's microphone are behind interfaces.
//
// Rules of this package:
//   - One goroutine, the session's loop, owns all state; everything else posts to
//     it. Nothing in the loop waits for a tool or a person.
//   - One response at a time, by one gate. A request counts from its sending.
//   - A tool job belongs to the response that asked for it. When that one is
//     interrupted the result is dropped, and the model is told so.
//   - Tool calls of one response are answered together, with one follow-up.
//   - The conversation outlives a connection: what was said and done is carried
//     over, results of calls included.
//   - No key, no audio and no picture passes through an Observer.
package voice

import (
	"context"
	"time"
)

// Limits of a session.
const (
	connectTime  = 20 * time.Second // to a connection that is ready
	sendTime     = 10 * time.Second // of one message to the provider
	responseTime = 90 * time.Second // after which a response counts as lost
	replyTime    = 3 * time.Minute  // of a prompt, its tools included
	toolTime     = 2 * time.Minute  // of one tool call
	surfaceTime  = 5 * time.Second  // to make the tool catalogue
	renewBefore  = 2 * time.Minute  // the provider's end of the session
	shortest     = time.Minute      // between a connection and its renewal
	maxOutput    = 16_000           // bytes of a tool's output for the model
	maxMessage   = 20_000           // characters of a written message
)

// maxLost is on how many connections a request may be left open: a service that
// never answers it does not do so on the next one either.
const maxLost = 3

// reconnects are the pauses before each try to connect again.
var reconnects = []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}

// Media is the microphone and the loudspeaker, in the browser.
type Media interface {
	// Offer opens the microphone and gives an SDP offer.
	Offer(ctx context.Context) (sdp string, err error)
	// Accept completes the call with the provider's answer; it returns when sound
	// can pass.
	Accept(ctx context.Context, answer string) error
	// Mute silences the microphone, or the loudspeaker, or neither. Without a call
	// the fault is voice_not_running.
	Mute(ctx context.Context, input, output bool) error
	// Close ends the call and lets the microphone go.
	Close(ctx context.Context) error
	// Lost gives what broke the call that was offered last, when something did.
	Lost() <-chan error
}

// Options make a session.
type Options struct {
	ID       string // names the session in the log
	Provider Provider
	Tools    Toolbox
	Observer Observer
	Media    Media // nil: text only
	Setup    Setup // its Offer, Instructions and Tools are filled in here
	// Memory is told to the model first: facts and recorded outcomes. Empty: none.
	Memory string
	// Greet lets the model begin.
	Greet bool
	// From, if not nil, is the session of an earlier host to go on with; Memory and
	// Greet then do not count.
	From *Standing
	// Keep, if not nil, takes the session's standing whenever it has changed. It
	// must not block.
	Keep func(Standing)
	// Tap, if not nil, hears the session's course; the provider tells its part of it.
	Tap Tap
	// Ended, if not nil, is called once, when nothing of the session is left.
	Ended func()
	// SpendingLimit in US dollars ends the session when it is reached; 0: none.
	SpendingLimit float64
}
