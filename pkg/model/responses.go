package model

import (
	"context"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
)

// responses asks by Responses. The service keeps nothing of it.
func (c *call) responses(ctx context.Context, a *answer) error {
	params, err := c.responsesParams()
	if err != nil {
		return err
	}
	service := responses.NewResponseService(c.openaiOptions()...)
	return each(service.NewStreaming(ctx, params), a.responsesEvent)
}

func (c *call) responsesParams() (responses.ResponseNewParams, error) {
	params := responses.ResponseNewParams{
		Model: c.model, MaxOutputTokens: openai.Int(c.maxTokens), Store: openai.Bool(false),
	}
	if c.system != "" {
		params.Instructions = openai.String(c.system)
	}
	if c.temperature != nil {
		params.Temperature = openai.Float(*c.temperature)
	}
	for _, t := range c.tools {
		schema, err := schemaOf(t)
		if err != nil {
			return params, err
		}
		params.Tools = append(params.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: t.Name, Description: openai.String(t.Description), Parameters: schema, Strict: openai.Bool(false),
		}})
	}
	items := responses.ResponseInputParam{}
	for _, m := range imagesLast(c.messages) {
		items = append(items, c.responsesItems(m)...)
	}
	params.Input.OfInputItemList = items
	return params, nil
}

func (c *call) responsesItems(m Message) []responses.ResponseInputItemUnionParam {
	var items []responses.ResponseInputItemUnionParam
	switch m.Role {
	case RoleAssistant:
		if text := textOf(m.Content); text != "" {
			items = append(items, responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleAssistant))
		}
		for _, one := range m.Content {
			if one.Type == ToolCallContent {
				items = append(items, responses.ResponseInputItemParamOfFunctionCall(string(objectOf(one.Arguments)), callID(one.ID), one.Name))
			}
		}
	case RoleToolResult:
		items = append(items, responses.ResponseInputItemParamOfFunctionCallOutput(callID(m.ToolCallID), markedText(m)))
	default:
		content := c.seen(m.Content)
		if text, only := onlyText(content); only {
			return append(items, responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser))
		}
		items = append(items, responsesUser(content))
	}
	return items
}

func responsesUser(content []Content) responses.ResponseInputItemUnionParam {
	var list responses.ResponseInputMessageContentListParam
	for _, one := range content {
		if one.Type == ImageContent {
			list = append(list, responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
				ImageURL: openai.String(dataURL(one)), Detail: responses.ResponseInputImageDetailAuto,
			}})
			continue
		}
		list = append(list, responses.ResponseInputContentParamOfInputText(one.Text))
	}
	return responses.ResponseInputItemParamOfMessage(list, responses.EasyInputMessageRoleUser)
}

// responsesEvent takes one event of the stream.
func (a *answer) responsesEvent(e responses.ResponseStreamEventUnion) error {
	number := int(e.OutputIndex)
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		return a.add(TextContent, number, e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return a.add(ThinkingContent, number, e.Delta)
	case "response.output_item.added":
		if e.Item.Type == "function_call" {
			return a.call(number, e.Item.CallID, e.Item.Name)
		}
	case "response.function_call_arguments.delta":
		return a.add(ToolCallContent, number, e.Delta)
	case "response.completed", "response.incomplete", "response.failed":
		return a.responsesEnd(e.Response)
	case "error":
		return &streamError{code: e.Code, message: e.Message}
	}
	return nil // what else the service reports
}

func (a *answer) responsesEnd(r responses.Response) error {
	cached := int(r.Usage.InputTokensDetails.CachedTokens)
	a.usage = Usage{Input: int(r.Usage.InputTokens) - cached, Output: int(r.Usage.OutputTokens), CacheRead: cached}
	switch r.Status {
	case responses.ResponseStatusCompleted:
		a.stop = StopEnd
	case responses.ResponseStatusIncomplete:
		switch r.IncompleteDetails.Reason {
		case "max_output_tokens":
			a.stop = StopLength
		case "content_filter":
			return errFiltered
		default:
			return unknownFinish(r.IncompleteDetails.Reason)
		}
	case responses.ResponseStatusFailed:
		return &streamError{code: string(r.Error.Code), message: r.Error.Message}
	default:
		return unknownFinish(string(r.Status))
	}
	return nil
}
