package primitives

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// pdfPages is a part of a PDF's text, as the extension reads it.
type pdfPages struct {
	PageCount int       `json:"page_count"`
	Title     string    `json:"title"`
	Texts     []pdfPage `json:"texts"`
	Rest      *pdfPlace `json:"rest"`
}

type pdfPage struct {
	Page   int    `json:"page"`
	Text   string `json:"text"`
	Offset int    `json:"offset,omitzero"`
	Empty  bool   `json:"empty,omitzero"`
}

// pdfPlace is where the text goes on.
type pdfPlace struct {
	FromPage int `json:"from_page"`
	Offset   int `json:"offset"`
}

// readPDF is page.read_pdf: the content script in the tab's own PDF reads its bytes, the
// offscreen document their text.
func (h *Handlers) readPDF(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[map[string]any](c)
	if err != nil {
		return nil, err
	}
	raw, err := h.inPage(ctx, c, "pdf.read", c.Arguments)
	if err != nil {
		return nil, err
	}
	var pages pdfPages
	if err := json.Unmarshal(raw, &pages); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the text of the PDF cannot be read: %v", err)
	}
	hasText := false
	for _, p := range pages.Texts {
		hasText = hasText || p.Text != ""
	}
	output := map[string]any{"page_count": pages.PageCount, "pages": pages.Texts, "has_text": hasText, "truncated": pages.Rest != nil}
	if pages.Title != "" {
		output["title"] = pages.Title
	}
	if pages.Rest != nil {
		next := map[string]any{"from_page": pages.Rest.FromPage}
		if pages.Rest.Offset > 0 {
			next["offset"] = pages.Rest.Offset
		}
		if last, ok := args["to_page"]; ok {
			next["to_page"] = last
		}
		output["next"] = map[string]any{"name": c.Record.Name, "arguments": next}
	}
	return primitive.Output(output)
}
