package site

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// Bounds of a report, in bytes. All of it travels to the browser at once.
const (
	maxReportHTML = 1 << 20
	maxReportData = 256 << 10
	reportTitle   = "Report"
)

// asset names a file of the storage folder.
type asset struct {
	Scope string `json:"scope"`
	Path  string `json:"path"`
}

// report is the content of an overlay, as a caller declares it.
type report struct {
	HTML     string `json:"html,omitzero"`
	Template *asset `json:"template,omitzero"`
	Data     *asset `json:"data,omitzero"`
	Title    string `json:"title,omitzero"`
	Width    int    `json:"width,omitzero"`
	Height   int    `json:"height,omitzero"`
}

// rendered is what the page's half takes.
type rendered struct {
	Title   string `json:"title"`
	HTML    string `json:"html"`
	Scripts bool   `json:"scripts,omitzero"`
	Data    string `json:"data,omitzero"`
	Width   int    `json:"width,omitzero"`
	Height  int    `json:"height,omitzero"`
	Focus   bool   `json:"focus,omitzero"`
}

// sources are the files that a report was made of.
type sources struct {
	Template *string `json:"template"`
	Data     *string `json:"data"`
}

// render reads the files that the report is made of.
func (r report) render(store *storage.Store) (rendered, sources, error) {
	out := rendered{Title: cmp.Or(r.Title, reportTitle), HTML: r.HTML, Width: r.Width, Height: r.Height}
	var from sources
	switch {
	case r.Template == nil && r.Data != nil:
		return out, from, fault.New(fault.InvalidArguments, "data goes with a template: html of the call has no scripts to read it").
			With("argument", "data")
	case len(r.HTML) > maxReportHTML:
		return out, from, fault.New(fault.PayloadTooLarge, "the html has %d bytes; an overlay takes %d", len(r.HTML), maxReportHTML).
			With("max_bytes", maxReportHTML)
	}
	if r.Template != nil {
		path, text, err := store.ReadAsset(r.Template.Scope, r.Template.Path, maxReportHTML)
		if err != nil {
			return out, from, err
		}
		out.HTML, out.Scripts, from.Template = text, true, &path
	}
	if r.Data != nil {
		path, text, err := store.ReadAsset(r.Data.Scope, r.Data.Path, maxReportData)
		if err != nil {
			return out, from, err
		}
		var syntax *json.SyntaxError
		if err := json.Unmarshal([]byte(text), new(any)); err != nil {
			f := fault.Wrap(err, fault.InvalidJson, "%s is not valid JSON: %v", path, err)
			if errors.As(err, &syntax) {
				f = f.With("offset", syntax.Offset)
			}
			return out, from, f
		}
		out.Data, from.Data = text, &path
	}
	return out, from, nil
}
