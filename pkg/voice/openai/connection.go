package openai

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/voice"
)

const (
	pingInterval = 20 * time.Second
	readTimeout  = 60 * time.Second // without even a pong the connection is dead
)

// connection is one session over its WebSocket.
type connection struct {
	socket *websocket.Conn
	setup  voice.Setup
	answer string
	record func(from voice.Source, event any)

	writing sync.Mutex
	once    sync.Once
	closed  chan struct{}
	events  chan voice.Event
	failure error        // written before events is closed
	turns   partialTurns // of the reader alone
}

// Answer returns the SDP answer of a voice session.
func (c *connection) Answer() string { return c.answer }

// Next waits for the next event.
func (c *connection) Next(ctx context.Context) (voice.Event, error) {
	select {
	case e, ok := <-c.events:
		if !ok {
			return nil, c.failure
		}
		return e, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Configure replaces the session's instructions and tools.
func (c *connection) Configure(ctx context.Context, setup voice.Setup) error {
	setup.Offer = c.setup.Offer
	return c.write(ctx, map[string]any{"type": "session.update", "session": sessionOf(setup)})
}

// Add puts an item into the conversation.
func (c *connection) Add(ctx context.Context, item voice.Item) error {
	return c.write(ctx, map[string]any{"type": "conversation.item.create", "item": itemOf(item)})
}

// Delete removes an item from the conversation.
func (c *connection) Delete(ctx context.Context, itemID string) error {
	return c.write(ctx, map[string]any{"type": "conversation.item.delete", "item_id": itemID})
}

// Respond asks for a response; the id travels as its metadata and as the id of
// the event, by which an error names it.
func (c *connection) Respond(ctx context.Context, id string, textOnly bool) error {
	response := map[string]any{"metadata": map[string]string{requestKey: id}}
	if textOnly {
		response["output_modalities"] = []string{"text"}
	}
	return c.write(ctx, map[string]any{"type": "response.create", "event_id": id, "response": response})
}

// Cancel ends a response, if one is named, and the playback.
func (c *connection) Cancel(ctx context.Context, responseID string) error {
	if responseID != "" {
		if err := c.write(ctx, map[string]any{"type": "response.cancel", "response_id": responseID}); err != nil {
			return err
		}
	}
	if c.setup.Offer == "" {
		return nil
	}
	return c.write(ctx, map[string]any{"type": "output_audio_buffer.clear"})
}

// Close ends the connection.
func (c *connection) Close() error {
	var err error
	c.once.Do(func() {
		close(c.closed)
		c.record(voice.FromNetwork, connectionEvent{Type: "closed", By: voice.FromHost})
		deadline := time.Now().Add(time.Second)
		_ = c.socket.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), deadline) // a courtesy
		err = c.socket.Close()
	})
	return err
}

func (c *connection) write(ctx context.Context, event any) error {
	text, err := json.Marshal(event)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "an event cannot be written: %v", err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(dialTimeout)
	}
	if err := c.socket.SetWriteDeadline(deadline); err != nil {
		return err
	}
	// Recorded first: the service's answer to it comes after.
	c.record(voice.FromHost, json.RawMessage(text))
	return c.socket.WriteMessage(websocket.TextMessage, text)
}

// read converts the provider's events until the socket ends.
func (c *connection) read() {
	defer close(c.events)
	go c.keepAlive()
	alive := func(string) error { return c.socket.SetReadDeadline(time.Now().Add(readTimeout)) }
	c.socket.SetPongHandler(alive)
	for {
		if err := alive(""); err != nil {
			c.failure = err
			return
		}
		_, text, err := c.socket.ReadMessage()
		if err != nil {
			c.failure = fault.Wrap(err, fault.VoiceUnresponsive, "the connection to the voice service ended: %v", err)
			select {
			case <-c.closed: // by this side, which has recorded it
			default:
				c.record(voice.FromNetwork, connectionEvent{Type: "closed", By: voice.FromService})
			}
			return
		}
		c.record(voice.FromService, json.RawMessage(text))
		for _, e := range c.turns.decode(text) {
			select {
			case c.events <- e:
			case <-c.closed:
				return
			}
		}
	}
}

func (c *connection) keepAlive() {
	tick := time.NewTicker(pingInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if c.socket.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)) != nil {
				return // the reader gets the error too
			}
		case <-c.closed:
			return
		}
	}
}
