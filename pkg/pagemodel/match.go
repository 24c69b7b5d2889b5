package pagemodel

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// query makes the call for a locator and reads its answer or its fault.
func (l *pageReader) query(ctx context.Context, loc locator) (matchResult, error) {
	var out struct {
		Text string `json:"text"`
	}
	err := l.call(ctx, "locator.text_content", map[string]any{"locator": loc}, &out)
	if err == nil {
		return matchResult{count: 1, rendered: true, text: out.Text}, nil
	}
	f := fault.From(err)
	switch f.Code {
	case fault.TargetNotFound, fault.FrameNotFound:
		return matchResult{}, nil
	case fault.TargetNotVisible:
		return matchResult{count: max(1, readMatches(f).Count)}, nil
	case fault.MultipleTargets:
	default:
		return matchResult{}, f
	}
	several := readMatches(f)
	s := matchResult{count: max(2, several.Count)}
	for _, c := range several.Candidates {
		if c.Rendered {
			s.rendered, s.text = true, c.Text
			return s, nil
		}
	}
	if s.count > len(several.Candidates) {
		// The fault shows the first few only, and they are hidden.
		loc.Strict = false
		one, err := l.query(ctx, loc)
		s.rendered, s.text = one.rendered, one.text
		return s, err
	}
	return s, nil
}

// matchEvidence is the evidence of the faults of locators.
type matchEvidence struct {
	Count      int `json:"match_count"`
	Candidates []struct {
		Text     string `json:"text"`
		Rendered bool   `json:"rendered"`
	} `json:"candidates"`
}

// readMatches reads the evidence, which came from the page; missing members stay zero.
func readMatches(f *fault.Error) (m matchEvidence) {
	raw, err := json.Marshal(f.Evidence)
	if err != nil || json.Unmarshal(raw, &m) != nil {
		return matchEvidence{}
	}
	return m
}

// enabled reports whether the element takes input; nil where that is not known.
func (l *pageReader) enabled(ctx context.Context, loc locator) (*bool, error) {
	type visibility struct {
		Enabled *bool `json:"enabled"`
	}
	var out struct {
		Visibility visibility `json:"visibility"`
	}
	err := l.call(ctx, "locator.element_info", map[string]any{"locator": loc, "auto_scroll": false}, &out)
	f := fault.From(err)
	switch {
	case err == nil:
		return out.Visibility.Enabled, nil
	case f.Code == fault.TargetNotActionable:
		// Off screen, covered or disabled: the evidence has which.
		raw, err := json.Marshal(f.Evidence["visibility"])
		if err != nil || json.Unmarshal(raw, &out.Visibility) != nil {
			return nil, nil
		}
		return out.Visibility.Enabled, nil
	case f.Code == fault.TargetNotVisible || f.Code == fault.TargetNotFound:
		return nil, nil
	}
	return nil, f
}
