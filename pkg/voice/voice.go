// Package voice holds a conversation with a model that listens, speaks and uses
// tools: the hosted agent. It lives in the host; a provider's connection and
// the browser's microphone are behind interfaces.
//
// Rules of this package:
//   - One goroutine, the session's loop, owns all state; everything else posts to
//     it. Nothing in the loop waits for a tool or a person.
//   - One response at a time, by one gate. A request counts from its sending, and waits
//     until the model has the results of its calls.
//   - A tool job belongs to the response that asked for it. When that one is
//     interrupted the result is dropped, and the model is notified.
//   - Tool calls of one response run one after the other, in the order of the
//     model, also after one that failed. When the user stops one, those after it
//     do not begin. They are answered together, with one follow-up.
//   - The conversation outlives a connection: messages and results of calls are
//     carried over.
//   - No key, no audio and no picture passes through an Observer.
package voice

import (
	"context"
	"time"
)

// Limits of a session.
const (
	connectTimeout  = 20 * time.Second // to a connection that is ready
	sendTimeout     = 10 * time.Second // of one message to the provider
	responseTimeout = 90 * time.Second // after which a response counts as lost, unless the options say otherwise
	replyTimeout    = 3 * time.Minute  // of a prompt, its tools included
	toolTimeout     = 2 * time.Minute  // of one tool call
	toolSetTimeout  = 5 * time.Second  // to make the tool catalogue
	renewalDelay    = 2 * time.Minute  // the provider's end of the session
	minRenewalDelay = time.Minute      // between a connection and its renewal

	// lastRenewalDelay is how long before the provider's end a connection is renewed though somebody speaks.
	lastRenewalDelay = 30 * time.Second
	maxMessage       = 20_000 // characters of a written message
)

// maxFailedConnections is on how many connections a request may be left open: a service that
// never answers it does not do so on the next one either.
const maxFailedConnections = 3

// reconnectDelays are the pauses before each try to connect again.
var reconnectDelays = []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}

// Media is the microphone and the loudspeaker, in the browser.
type Media interface {
	// Offer opens the microphone and returns an SDP offer.
	Offer(ctx context.Context) (sdp string, err error)
	// Accept completes the call with the provider's answer; it returns when sound
	// can pass.
	Accept(ctx context.Context, answer string) error
	// Mute silences the microphone, or the loudspeaker, or neither. Without a call
	// the fault is voice_not_running.
	Mute(ctx context.Context, input, output bool) error
	// Close ends the call and releases the microphone.
	Close(ctx context.Context) error
	// Lost returns a channel that receives the error that broke the last offered call.
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
	// Memory is sent to the model first: facts and recorded outcomes. Empty: none.
	Memory string
	// Greet lets the model speak first.
	Greet bool
	// ResumeFrom, if not nil, is the session of an earlier host to resume; Memory and
	// Greet are then ignored.
	ResumeFrom *SessionSnapshot
	// SaveSnapshot, if not nil, receives a snapshot of the session whenever it has
	// changed. It must not block.
	SaveSnapshot func(SessionSnapshot)
	// Recorder, if not nil, receives the session's events; the provider's own reach it
	// by the provider.
	Recorder Recorder
	// Ended, if not nil, is called once, after the session has released everything.
	Ended func()
	// SpendingLimit in US dollars ends the session when it is reached; 0: none.
	SpendingLimit float64
	// ShowResults has the rows of tools say what came of the calls.
	ShowResults bool
	// Limits bound what a message of the user leads to.
	Limits Limits
	// ResponseTimeout is after which a response counts as lost; 0: 90 s.
	ResponseTimeout time.Duration
}
