package model

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// openaiOptions are those of both wire formats of that SDK: a service made with them reads no
// environment, and repeats nothing by itself.
func (c *call) openaiOptions() []option.RequestOption {
	options := []option.RequestOption{
		option.WithBaseURL(c.base), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: c.watch, CheckRedirect: refuseRedirect}),
	}
	if c.key != "" {
		options = append(options, option.WithAPIKey(c.key))
	}
	return options
}

// chat asks by Chat Completions.
func (c *call) chat(ctx context.Context, a *answer) error {
	params, err := c.chatParams()
	if err != nil {
		return err
	}
	service := openai.NewChatCompletionService(c.openaiOptions()...)
	return each(service.NewStreaming(ctx, params), a.chatChunk)
}

func (c *call) chatParams() (openai.ChatCompletionNewParams, error) {
	params := openai.ChatCompletionNewParams{
		Model: c.model, StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	if c.provider == "openai" { // whose newer models know no other; compatible services know this one
		params.MaxCompletionTokens = openai.Int(c.maxTokens)
	} else {
		params.MaxTokens = openai.Int(c.maxTokens)
	}
	if c.temperature != nil {
		params.Temperature = openai.Float(*c.temperature)
	}
	for _, t := range c.tools {
		schema, err := schemaOf(t)
		if err != nil {
			return params, err
		}
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: openai.String(t.Description), Parameters: schema,
		}))
	}
	if c.system != "" {
		params.Messages = append(params.Messages, openai.SystemMessage(c.system))
	}
	for _, m := range imagesLast(c.messages) {
		params.Messages = append(params.Messages, c.chatMessages(m)...)
	}
	return params, nil
}

func (c *call) chatMessages(m Message) []openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case RoleAssistant:
		return []openai.ChatCompletionMessageParamUnion{chatAssistant(m)}
	case RoleToolResult:
		return []openai.ChatCompletionMessageParamUnion{openai.ToolMessage(markedText(m), callID(m.ToolCallID))}
	default:
		content := c.seen(m.Content)
		if text, only := onlyText(content); only {
			return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}
		}
		return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(chatContent(content))}
	}
}

func chatContent(content []Content) []openai.ChatCompletionContentPartUnionParam {
	var list []openai.ChatCompletionContentPartUnionParam
	for _, one := range content {
		if one.Type == ImageContent {
			list = append(list, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: dataURL(one)}))
			continue
		}
		list = append(list, openai.TextContentPart(one.Text))
	}
	return list
}

func dataURL(c Content) string { return "data:" + c.MimeType + ";base64," + c.Data }

func chatAssistant(m Message) openai.ChatCompletionMessageParamUnion {
	var message openai.ChatCompletionAssistantMessageParam
	for _, one := range m.Content {
		if one.Type != ToolCallContent {
			continue
		}
		message.ToolCalls = append(message.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: callID(one.ID),
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name: one.Name, Arguments: string(objectOf(one.Arguments)),
				},
			},
		})
	}
	if text := textOf(m.Content); text != "" || len(message.ToolCalls) == 0 {
		message.Content.OfString = openai.String(text)
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &message}
}

// chatChunk takes one event of the stream.
func (a *answer) chatChunk(chunk openai.ChatCompletionChunk) error {
	if u := chunk.Usage; u.TotalTokens > 0 || u.CompletionTokens > 0 {
		cached := int(u.PromptTokensDetails.CachedTokens)
		a.usage = Usage{Input: int(u.PromptTokens) - cached, Output: int(u.CompletionTokens), CacheRead: cached}
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := a.chatDelta(choice.Delta); err != nil {
			return err
		}
		if choice.FinishReason == "" {
			continue
		}
		switch choice.FinishReason {
		case "stop":
			a.stop = StopEnd
		case "length":
			a.stop = StopLength
		case "tool_calls", "function_call":
			a.stop = StopToolUse
		case "content_filter":
			return errFiltered
		default:
			return unknownFinish(choice.FinishReason)
		}
	}
	return nil
}

func (a *answer) chatDelta(delta openai.ChatCompletionChunkChoiceDelta) error {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		var thinking string
		if field, ok := delta.JSON.ExtraFields[name]; ok && json.Unmarshal([]byte(field.Raw()), &thinking) == nil && thinking != "" {
			if err := a.add(ThinkingContent, 0, thinking); err != nil {
				return err
			}
			break
		}
	}
	if err := a.add(TextContent, 0, delta.Content+delta.Refusal); err != nil {
		return err
	}
	for _, t := range delta.ToolCalls {
		number := a.chatNumber(int(t.Index), t.ID)
		if err := a.call(number, t.ID, t.Function.Name); err != nil {
			return err
		}
		if err := a.add(ToolCallContent, number, t.Function.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// chatNumber returns the number of a tool call: some services send several calls, each whole
// and with an id, under the same index.
func (a *answer) chatNumber(index int, id string) int {
	const step = 1000
	number := index
	for p := a.find(ToolCallContent, number); p != nil && id != "" && p.id != "" && p.id != id; p = a.find(ToolCallContent, number) {
		number += step
	}
	if id == "" { // more of the last one under this index
		for a.find(ToolCallContent, number+step) != nil {
			number += step
		}
	}
	return number
}
