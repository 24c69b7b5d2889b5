package logview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/printable"
)

const (
	maxReportText  = 2000 // characters of a turn or a note
	maxReportBrief = 140
	maxReportValue = 6000 // characters of arguments or of an output
)

// Value is JSON for a reader: in a few words, and laid out.
type Value struct {
	Brief string `json:"brief"`
	Full  string `json:"full"`
	Cut   int    `json:"cut,omitzero"` // characters that are left out of Full
}

// value makes one; nil for an empty value.
func value(raw json.RawMessage) *Value {
	short := Brief(raw, maxReportBrief)
	if short == "" {
		return nil
	}
	v := Value{Brief: short}
	var laid bytes.Buffer
	if json.Indent(&laid, raw, "", "  ") != nil {
		laid.Write(raw)
	}
	v.Full = printable.EscapeLines(laid.String())
	if count := utf8.RuneCountInString(v.Full); count > maxReportValue {
		v.Full, v.Cut = string([]rune(v.Full)[:maxReportValue]), count-maxReportValue
	}
	return &v
}

// Whole reports whether the few words are the whole value.
func (v *Value) Whole() bool {
	return !strings.Contains(v.Brief, "…") && !strings.Contains(v.Brief, " items]")
}

// Picture describes a screenshot; the log does not keep the picture itself.
type Picture struct {
	Type   string `json:"type"`
	Bytes  int    `json:"bytes"`
	Width  int    `json:"width,omitzero"`
	Height int    `json:"height,omitzero"`
	At     string `json:"at,omitzero"`
	URL    string `json:"url,omitzero"`
	Area   string `json:"part"` // of the page
}

// picture reads the metadata of a screenshot; nil for any other output.
func picture(name string, raw json.RawMessage) *Picture {
	if !strings.HasSuffix(name, "screenshot") {
		return nil
	}
	var output struct {
		MIMEType   string `json:"mime_type"`
		ImageBytes int    `json:"image_bytes"`
		Encoded    struct {
			Width  int `json:"width"`
			Height int `json:"height"`
		} `json:"encoded"`
		Clip *struct {
			Width  float64 `json:"width"`
			Height float64 `json:"height"`
		} `json:"clip"`
		URL        string `json:"url"`
		CapturedAt string `json:"captured_at"`
	}
	if json.Unmarshal(raw, &output) != nil || output.MIMEType == "" {
		return nil
	}
	p := &Picture{
		Type: output.MIMEType, Bytes: output.ImageBytes, Width: output.Encoded.Width, Height: output.Encoded.Height,
		At: output.CapturedAt, URL: output.URL, Area: "what the tab showed",
	}
	if output.Clip != nil {
		p.Area = fmt.Sprintf("a part of the page, %.0f by %.0f CSS pixels", output.Clip.Width, output.Clip.Height)
	}
	return p
}

// Size is the picture's size for a person.
func (p *Picture) Size() string {
	size := fmt.Sprintf("%.1f KB", float64(p.Bytes)/1000)
	if p.Width > 0 {
		return fmt.Sprintf("%d by %d pixels, %s", p.Width, p.Height, size)
	}
	return size
}
