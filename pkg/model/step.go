package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// How a call that failed before any text is made again; tests change them.
var (
	againDelay = 500 * time.Millisecond
	// longestWait is how long a service may make the call wait; for more, the caller decides.
	longestWait = 10 * time.Second
)

// Temperatures: a model that acts is to be the steadier one.
const (
	chatTemperature = 0.3
	toolTemperature = 0.15
)

// What asks again, once: after an answer with nothing in it, and after one that is calls without the mark.
const (
	nudge     = "Your answer was empty. Answer now, or call a tool."
	markNudge = "No tool was called: what you wrote lacks the mark. To call a tool, write the call with it. What is no call of your own, answer in words."
)

var errTooLong = errors.New("the answer takes too long")

// Step returns the model's next message.
func (m *Models) Step(ctx context.Context, request Request, onText func(text string)) (Message, error) {
	if request.MaxOutputTokens == 0 {
		request.MaxOutputTokens = m.config.MaxOutputTokens
	}
	if request.MaxOutputTokens < 1 || request.MaxOutputTokens > MaxOutputTokens {
		return Message{}, fault.New(fault.InvalidInput, "a model can be asked for 1 to %d tokens", MaxOutputTokens)
	}
	if err := Check(request.Messages); err != nil {
		return Message{}, err
	}
	all, err := m.candidates(ctx, request.Model)
	if err != nil {
		return Message{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wholeAnswer, errTooLong)
	defer cancel()
	var first *fault.Error
	var tried []string
	paid := Message{Usage: &Usage{}} // what an error comes with
	for i, one := range all {
		if i > 0 && request.tokens() > one.info.Context { // it was made for the first
			tried = append(tried, fmt.Sprintf("%s: the conversation is too long for its %d tokens", one.info.Name, one.info.Context))
			continue
		}
		message, given, err := m.ask(ctx, one, request, onText)
		message.Usage.add(*paid.Usage)
		if err == nil {
			return message, nil
		}
		paid = message
		f := fault.From(err)
		if given || f.Code == fault.Cancelled || len(all) == 1 {
			return paid, err
		}
		if first == nil {
			first = f
		}
		tried = append(tried, fmt.Sprintf("%s (%s)", f.Message, f.Code))
	}
	if len(tried) == 1 {
		return paid, first
	}
	f := fault.Wrap(first, first.Code, "no model answered: %s", strings.Join(tried, "; ")).WithNextStep(first.NextStep)
	if wait, ok := first.Evidence["retry_after_ms"]; ok {
		f = f.With("retry_after_ms", wait)
	}
	return paid, f.With("tried", tried)
}

const bytesPerToken = 3 // a careful guess

// tokens returns about how many tokens the request's texts and its answer have.
func (r Request) tokens() int {
	size := len(r.System)
	for _, t := range r.Tools {
		size += len(t.Description) + len(t.Parameters)
	}
	for _, m := range r.Messages {
		for _, c := range m.Content {
			size += len(c.Text) + len(c.Arguments)
		}
	}
	return size/bytesPerToken + r.MaxOutputTokens
}

// variant is how a model is asked: what its service refused is left out.
type variant struct{ noTemperature, textTools bool }

// ask asks one model; given reports that some of its text was given on. The message has the usage of all its answers.
func (m *Models) ask(ctx context.Context, one candidate, request Request, onText func(string)) (message Message, given bool, err error) {
	v := m.variantOf(one)
	nudged, again := false, false
	var paid Usage
	defer func() { message.Model, message.Usage = one.info.Name, &paid }()
	for {
		a, f := m.once(ctx, one, request, v, !nudged, onText)
		given = given || a.given
		paid.add(a.usage)
		switch {
		case f == nil && a.unmarked != "":
			nudged = true
			written := Message{Role: RoleAssistant, Content: []Content{{Type: TextContent, Text: a.unmarked}}}
			request.Messages = append(slices.Clone(request.Messages), written, userText(markNudge))
		case f == nil && a.empty() && a.stop == StopEnd && !nudged:
			nudged = true
			request.Messages = append(slices.Clone(request.Messages), userText(nudge))
		case f == nil && a.empty() && a.stop == StopEnd:
			return Message{}, given, fault.New(fault.ModelResponseInvalid, "%s: the answer was empty when it was asked twice", one.info.Name)
		case f == nil && a.empty() && a.stop == StopLength:
			return Message{}, given, fault.New(fault.ModelResponseInvalid, "%s: it reached the longest that an answer may be before it wrote a word", one.info.Name).
				WithNextStep("Raise max_output_tokens in " + FileName + " in the data folder; \"thinks\":true in a model's entry there gives it room to think.")
		case f == nil:
			return messageOf(a), given, nil
		case given || f.Code == fault.Cancelled:
			return Message{}, given, f.Error
		case m.adapt(one, &v, f, request):
		case f.again && !again && f.after <= longestWait:
			again = true
			if !sleep(ctx, max(f.after, againDelay)) {
				return Message{}, given, fault.New(fault.Cancelled, "the call was cancelled")
			}
		default:
			return Message{}, given, f.Error
		}
	}
}

func (m *Models) variantOf(one candidate) variant {
	if v, ok := m.learned.Load(one.info.Name); ok {
		return v.(variant)
	}
	return variant{
		noTemperature: one.entry.Temperature != nil && !*one.entry.Temperature,
		textTools:     one.entry.Tools != nil && !*one.entry.Tools,
	}
}

// adapt leaves out what the service refused, if that was it.
func (m *Models) adapt(one candidate, v *variant, f *failure, request Request) bool {
	if f.status != 400 && f.status != 422 {
		return false
	}
	switch {
	case !v.noTemperature && strings.Contains(f.refused, "temperature"):
		v.noTemperature = true
	case !v.textTools && len(request.Tools) > 0 && strings.Contains(f.refused, "not support tools"):
		v.textTools = true
	default:
		return false
	}
	m.learned.Store(one.info.Name, *v)
	return true
}

// once makes one call; nudge allows an answer that makes [Models.ask] ask again.
func (m *Models) once(ctx context.Context, one candidate, request Request, v variant, nudge bool, onText func(string)) (*answer, *failure) {
	c := &call{
		base: strings.TrimSuffix(one.provider.base, "/"), key: one.key, provider: one.provider.name, model: one.entry.ID,
		system: request.System, messages: request.Messages, tools: request.Tools, maxTokens: int64(request.MaxOutputTokens),
		images: one.entry.Images, watch: &watch{next: m.base(), first: firstByte, between: betweenBytes},
	}
	if one.provider.onThisMachine() {
		c.watch.first, c.watch.between = localSilence, localSilence
	}
	if one.entry.Thinks {
		c.maxTokens += thinkingTokens
	}
	a := &answer{onText: onText}
	var written *textCalls
	if v.textTools && (len(c.tools) > 0 || hasCalls(c.messages)) {
		written = c.writeTools()
		a.onText = nil
		a.filter = written
		written.onText = onText
	}
	if !v.noTemperature {
		t := chatTemperature
		if len(request.Tools) > 0 {
			t = toolTemperature
		}
		c.temperature = &t
	}
	err := c.send(ctx, one.provider.api, a)
	if c.watch.sent.Load() {
		a.usage.estimate(request.tokens()-request.MaxOutputTokens, a.size/bytesPerToken)
	}
	if err != nil {
		return a, c.explain(ctx, err)
	}
	if written != nil {
		written.finish(a, nudge)
	}
	if a.stop == "" {
		return a, c.explain(ctx, fault.New(fault.ModelResponseInvalid, "the answer broke off before its end"))
	}
	if a.calls() && a.stop == StopEnd {
		a.stop = StopToolUse
	}
	if f := c.badCalls(a); f != nil {
		return a, f
	}
	return a, nil
}

func (c *call) send(ctx context.Context, api API, a *answer) error {
	switch api {
	case ResponsesAPI:
		return c.responses(ctx, a)
	case MessagesAPI:
		return c.messagesFormat(ctx, a)
	default:
		return c.chat(ctx, a)
	}
}

// badCalls is the failure of an answer whose tool calls nobody could run or answer.
func (c *call) badCalls(a *answer) *failure {
	for _, p := range a.pieces {
		if p.kind == ToolCallContent && p.name == "" {
			return c.explain(context.Background(), fault.New(fault.ModelResponseInvalid, "a tool call has no name"))
		}
	}
	return nil
}

func messageOf(a *answer) Message {
	return Message{Role: RoleAssistant, Content: a.content(), StopReason: a.stop, Timestamp: time.Now().UnixMilli()}
}

func userText(text string) Message {
	return Message{Role: RoleUser, Content: []Content{{Type: TextContent, Text: text}}}
}

// sleep waits, and reports false if the context ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
