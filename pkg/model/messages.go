package model

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// messagesFormat asks by Messages.
func (c *call) messagesFormat(ctx context.Context, a *answer) error {
	params, err := c.messagesParams()
	if err != nil {
		return err
	}
	options := []option.RequestOption{
		// The SDK's paths begin with v1.
		option.WithBaseURL(strings.TrimSuffix(strings.TrimSuffix(c.base, "/"), "/v1")), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: c.watch, CheckRedirect: refuseRedirect}),
	}
	if c.key != "" {
		options = append(options, option.WithAPIKey(c.key))
	}
	service := anthropic.NewMessageService(options...)
	ended := false
	err = each(service.NewStreaming(ctx, params), func(e anthropic.MessageStreamEventUnion) error {
		ended = ended || e.Type == "message_stop"
		return a.messagesEvent(e)
	})
	if !ended {
		a.stop = ""
	}
	return err
}

func (c *call) messagesParams() (anthropic.MessageNewParams, error) {
	params := anthropic.MessageNewParams{Model: anthropic.Model(c.model), MaxTokens: c.maxTokens}
	if c.temperature != nil {
		params.Temperature = anthropic.Float(*c.temperature)
	}
	if c.system != "" {
		params.System = []anthropic.TextBlockParam{{Text: c.system}}
	}
	for _, t := range c.tools {
		schema, err := schemaOf(t)
		if err != nil {
			return params, err
		}
		delete(schema, "type") // an object's, always
		input := anthropic.ToolInputSchemaParam{Properties: schema["properties"], ExtraFields: schema}
		delete(schema, "properties")
		params.Tools = append(params.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name: t.Name, Description: anthropic.String(t.Description), InputSchema: input,
		}})
	}
	for _, m := range c.messages {
		role, blocks := c.messagesBlocks(m)
		if len(blocks) == 0 {
			continue
		}
		if last := len(params.Messages) - 1; last >= 0 && params.Messages[last].Role == role { // roles take turns
			params.Messages[last].Content = append(params.Messages[last].Content, blocks...)
			continue
		}
		params.Messages = append(params.Messages, anthropic.MessageParam{Role: role, Content: blocks})
	}
	return params, nil
}

func (c *call) messagesBlocks(m Message) (anthropic.MessageParamRole, []anthropic.ContentBlockParamUnion) {
	var blocks []anthropic.ContentBlockParamUnion
	switch m.Role {
	case RoleAssistant:
		if text := textOf(m.Content); strings.TrimSpace(text) != "" {
			blocks = append(blocks, anthropic.NewTextBlock(text))
		}
		for _, one := range m.Content {
			if one.Type == ToolCallContent {
				blocks = append(blocks, anthropic.NewToolUseBlock(callID(one.ID), json.RawMessage(objectOf(one.Arguments)), one.Name))
			}
		}
		return anthropic.MessageParamRoleAssistant, blocks
	case RoleToolResult:
		result := anthropic.ToolResultBlockParam{ToolUseID: callID(m.ToolCallID), IsError: anthropic.Bool(m.IsError)}
		result.Content = []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: resultText(m)}}}
		for _, one := range c.seen(m.Content) {
			if one.Type == ImageContent {
				result.Content = append(result.Content, anthropic.ToolResultBlockParamContentUnion{OfImage: messagesImage(one).OfImage})
			}
		}
		return anthropic.MessageParamRoleUser, append(blocks, anthropic.ContentBlockParamUnion{OfToolResult: &result})
	}
	for _, one := range c.seen(m.Content) {
		switch {
		case one.Type == ImageContent:
			blocks = append(blocks, messagesImage(one))
		case strings.TrimSpace(one.Text) != "": // the service refuses an empty one
			blocks = append(blocks, anthropic.NewTextBlock(one.Text))
		}
	}
	return anthropic.MessageParamRoleUser, blocks
}

func messagesImage(c Content) anthropic.ContentBlockParamUnion {
	return anthropic.NewImageBlockBase64(c.MimeType, c.Data)
}

// messagesEvent takes one event of the stream.
func (a *answer) messagesEvent(e anthropic.MessageStreamEventUnion) error {
	number := int(e.Index)
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		a.usage = Usage{Input: int(u.InputTokens), CacheRead: int(u.CacheReadInputTokens), CacheWrite: int(u.CacheCreationInputTokens)}
	case "content_block_start":
		switch e.ContentBlock.Type {
		case "tool_use":
			return a.call(number, e.ContentBlock.ID, e.ContentBlock.Name)
		case "text":
			return a.add(TextContent, number, e.ContentBlock.Text)
		}
	case "content_block_delta":
		switch e.Delta.Type {
		case "text_delta":
			return a.add(TextContent, number, e.Delta.Text)
		case "thinking_delta":
			return a.add(ThinkingContent, number, e.Delta.Thinking)
		case "input_json_delta":
			return a.add(ToolCallContent, number, e.Delta.PartialJSON)
		}
	case "message_delta":
		if out := int(e.Usage.OutputTokens); out > 0 {
			a.usage.Output = out
		}
		return a.messagesStop(string(e.Delta.StopReason))
	}
	return nil
}

func (a *answer) messagesStop(reason string) error {
	switch reason {
	case "":
	case "end_turn", "stop_sequence":
		a.stop = StopEnd
	case "max_tokens", "model_context_window_exceeded":
		a.stop = StopLength
	case "tool_use":
		a.stop = StopToolUse
	case "refusal":
		return errFiltered
	default:
		return unknownFinish(reason)
	}
	return nil
}
