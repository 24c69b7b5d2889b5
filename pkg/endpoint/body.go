package endpoint

import (
	"cmp"
	"strings"

	"github.com/actionsjson/actions-host/pkg/chat"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// The limits of a body's members.
const (
	maxTools = 200 // names
	maxModel = 200 // bytes of a name
	maxDepth = 100
)

// autoModel is the name that stands for whichever model is there.
const autoModel = "auto"

// body is what a request says. Every member may be null, which is as good as absent.
type body struct {
	URL             string    `json:"url"`
	Title           string    `json:"title"`
	PageContent     string    `json:"pageContent"`
	Messages        []message `json:"messages"`
	Model           string    `json:"model"`
	Tools           []string  `json:"tools"`
	Automation      bool      `json:"automationEnabled"`
	MaxOutputTokens *int      `json:"maxOutputTokens"`
}

// request is a body that is good.
type request struct {
	page            chat.Page
	messages        []model.Message
	model           string
	tools           []string
	automation      bool
	maxOutputTokens int
}

// parseBody reads a body. The faults are invalid_input and name what is wrong.
func parseBody(text []byte) (request, error) {
	var in body
	if err := strictjson.Decode(text, &in, strictjson.Limits{MaxBytes: MaxBody, MaxDepth: maxDepth}); err != nil {
		f := fault.From(err)
		bad := invalid("%s", f.Message)
		for key, value := range f.Evidence {
			bad = bad.With(key, value)
		}
		return request{}, bad
	}
	if in.URL = strings.TrimSpace(in.URL); in.URL == "" {
		return request{}, invalid("url is missing").With("pointer", "/url")
	}
	out := request{
		page: chat.Page{URL: in.URL, Title: in.Title, Content: in.PageContent}, tools: in.Tools, automation: in.Automation,
		model: cmp.Or(strings.TrimSpace(in.Model), autoModel),
	}
	if strings.EqualFold(out.model, autoModel) {
		out.model = autoModel
	}
	if len(out.model) > maxModel {
		return request{}, invalid("model has more than %d bytes", maxModel).With("pointer", "/model")
	}
	if len(in.Tools) > maxTools {
		return request{}, invalid("tools has more than %d names", maxTools).With("pointer", "/tools")
	}
	if n := in.MaxOutputTokens; n != nil {
		if *n < 1 || *n > model.MaxOutputTokens {
			return request{}, invalid("maxOutputTokens is from 1 to %d", model.MaxOutputTokens).With("pointer", "/maxOutputTokens")
		}
		out.maxOutputTokens = *n
	}
	var err error
	out.messages, err = parseMessages(in.Messages)
	return out, err
}

func invalid(format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidInput, format, args...).
		WithNextStep("Correct the body: it is one JSON object with url, messages and, where wanted, title, pageContent, model, tools, automationEnabled and maxOutputTokens.")
}
