package agent

import (
	"context"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/clarify"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// chatView is the whole state that the side panel of a tab shows. Of a tab that is not under
// control it knows nothing.
type chatView struct {
	TabID     int                `json:"tab_id"`
	Claimed   bool               `json:"claimed"`
	State     voice.State        `json:"state"`
	Rows      []voice.Row        `json:"rows"`
	Approvals []policy.Shown     `json:"approvals"`
	Questions []clarify.Question `json:"questions"`
	Settings  shownSettings      `json:"settings"`
	Summary   string             `json:"summary"`
	Code      bool               `json:"code"`
}

// chatState is the answer to what the panel requests.
type chatState struct {
	State voice.State `json:"state"`
}

func (c *Controller) chatView(tabID int) chatView {
	v := chatView{
		TabID: tabID, Claimed: c.Chats.Claimed(tabID), State: voice.State{Status: voice.Disconnected, TextOnly: true}, Rows: []voice.Row{},
		Approvals: c.Approvals.Shown(), Questions: c.Questions.List(), Settings: c.settings(),
	}
	if chat := c.Chats.find(tabID); chat != nil {
		v.State, v.Rows, v.Summary, v.Code = chat.state(), chat.Rows(), chat.Summary().Text, chat.Code()
	}
	return v
}

// registerChats adds the handlers of what the side panel requests.
func (c *Controller) registerChats(m *rpc.Mux) {
	rpc.Handle(m, protocol.MethodChatView, func(_ context.Context, p protocol.ChatTab) (chatView, error) { return c.chatView(p.TabID), nil })
	handleChat(c, m, protocol.MethodChatSend, func(ctx context.Context, p protocol.ChatMessage) (int, error) {
		err := c.Chats.Send(ctx, p.TabID, p.Text, voice.Mode(p.Mode), p.Summary)
		if chat := c.Chats.find(p.TabID); err == nil && chat != nil && !p.Summary {
			c.Questions.Leave(chat.Voice.State().SessionID)
		}
		return p.TabID, err
	})
	handleChat(c, m, protocol.MethodChatStop, func(_ context.Context, p protocol.ChatTab) (int, error) {
		c.Chats.Stop(p.TabID)
		return p.TabID, nil
	})
	handleChat(c, m, protocol.MethodChatClear, func(_ context.Context, p protocol.ChatTab) (int, error) {
		c.Chats.End(p.TabID)
		return p.TabID, nil
	})
	handleChat(c, m, protocol.MethodChatSettings, func(_ context.Context, p protocol.ChatSettings) (int, error) {
		chat, err := c.Chats.open(p.TabID)
		if err == nil {
			chat.setCode(p.Code)
		}
		return p.TabID, err
	})
}

// handleChat registers a handler after which the state of the tab's chat is answered.
func handleChat[P any](c *Controller, m *rpc.Mux, method string, h func(context.Context, P) (int, error)) {
	rpc.Handle(m, method, func(ctx context.Context, p P) (chatState, error) {
		tabID, err := h(ctx, p)
		return chatState{c.chatView(tabID).State}, err
	})
}
