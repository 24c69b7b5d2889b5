package webmcp

import (
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

// invocationOutput is the result of a tool.
type invocationOutput struct {
	InvocationID string          `json:"invocation_id"`
	Name         string          `json:"name"`
	Origin       string          `json:"origin"`
	Status       string          `json:"status"`
	Output       json.RawMessage `json:"output,omitzero"`
	Truncated    bool            `json:"truncated,omitzero"` // Output is the head of its JSON text
	TotalChars   int             `json:"total_chars,omitzero"`
	PageLeft     bool            `json:"page_left,omitzero"`  // the answer is of the page that came
	Unchecked    []string        `json:"unchecked,omitempty"` // parts of the input schema that nothing was held against
	Sensitive    *bool           `json:"sensitive,omitzero"`  // the arguments stay out of the log
	Trust        string          `json:"trust"`
}

// encode returns the answer for callers.
func (out invocationOutput) encode(run *registry.Run) (json.RawMessage, error) {
	response := run.Response()
	switch response.Status {
	case registry.Completed:
	case registry.Canceled:
		f := fault.New(fault.Cancelled, "page:%s was cancelled", out.Name).With("invocation_id", run.ID)
		if response.ErrorText != "" {
			f = f.With("error_text", response.ErrorText).With("trust", untrusted)
		}
		return nil, f.WithDispatched(fault.WasDispatched)
	default:
		text := response.Exception
		if text == "" {
			text = response.ErrorText
		}
		first, _, _ := strings.Cut(text, "\n")
		f := fault.New(fault.PageToolFailed, "page:%s failed; the page says: %s", out.Name, truncateText(first, 300)).
			With("invocation_id", run.ID).With("exception", response.Exception).With("error_text", response.ErrorText).With("trust", untrusted)
		return nil, f.WithDispatched(fault.WasDispatched)
	}
	out.Status, out.Output, out.PageLeft = "completed", response.Output, run.Loss() == registry.LostDocument
	out.Truncated, out.TotalChars = response.Chars > 0, response.Chars
	return primitive.Output(out)
}

func truncateText(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}
