package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
)

const (
	utterance = "Please order a pot of Da Hong Pao for Ada."
	order     = `{"mode":"call","action":"teahouse.order","arguments":{"tea":"Da Hong Pao","name":"Ada"}}`
	beep      = 200 // packets of 20 ms, among which there is sound
)

// play shows the whole job with the fake service, whose model is this script.
func (s *stage) play(ctx context.Context, headed bool) error {
	service := realtime.New(s.reporter)
	if err := s.service(service.Base); err != nil {
		return err
	}
	s.env = append(s.env, key.Environment(key.OpenAI)+"="+realtime.Key)

	heading("1. A browser with the extension, the shop open, its tab handed over")
	if err := s.open(ctx, headed, true); err != nil {
		return err
	}
	pane, err := s.show(ctx)
	if err != nil {
		return err
	}
	if err := pane.picture(ctx, "disconnected"); err != nil {
		return err
	}

	heading("2. The agent starts by voice and greets")
	started := make(chan error, 1)
	go func() {
		state, err := s.call(ctx, "runtime.agent.start", `{"text_only":false}`)
		fmt.Printf("started    %s\n", state)
		started <- err
	}()
	wire := service.Next(ctx)
	if err := <-started; err != nil {
		return err
	}
	wire.Call.Peer.Opened(ctx)
	wire.Call.Peer.Echo() // the agent's voice is the user's own
	wire.Begin(ctx)
	wire.Speak("Good day. What may I do in the teahouse?")
	wire.Finish("completed")
	wire.Hush(false)
	if err := pane.picture(ctx, "listening"); err != nil {
		return err
	}
	fmt.Printf("microphone the service hears packets of up to %d bytes (silence has fewer than 40)\n", wire.Call.Peer.Loudest(ctx, beep))

	heading("3. The user speaks; the model lists the site's actions and calls one")
	fmt.Println("user      ", utterance)
	wire.Speech(true)
	wire.Speech(false)
	wire.BeginUnasked()
	wire.Transcribe(utterance)
	if err := pane.picture(ctx, "thinking"); err != nil {
		return err
	}
	wire.Finish("completed", realtime.Function{CallID: "call_1", Name: "actions_site", Arguments: `{"mode":"list"}`})
	result(ctx, wire, "list")
	wire.Begin(ctx)
	wire.Finish("completed", realtime.Function{CallID: "call_2", Name: "actions_site", Arguments: order})
	if err := pane.picture(ctx, "using_tool"); err != nil {
		return err
	}
	result(ctx, wire, "order")

	heading("4. The model speaks of what it did")
	wire.Begin(ctx)
	wire.Speak("A pot of Da Hong Pao is ordered for Ada.")
	if err := pane.picture(ctx, "speaking"); err != nil {
		return err
	}
	wire.Finish("completed")
	wire.Hush(false)

	heading("5. The service refuses to go on")
	service.Refuse(http.StatusUnauthorized)
	wire.Drop()
	if err := pane.picture(ctx, "error"); err != nil {
		return err
	}
	return s.printVoiceReport(ctx)
}

// result waits for the answer to a tool call and prints it.
func result(ctx context.Context, wire *realtime.Session, what string) {
	for {
		item := wire.Expect(ctx, "conversation.item.create").Item
		if item.Type == "function_call_output" {
			fmt.Printf("%-10s %.400s\n", what, item.Output)
			return
		}
	}
}
