package surface

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// ask makes the call for a locator and reads its answer or its fault.
func (l *look) ask(ctx context.Context, loc locator) (sight, error) {
	var out struct {
		Text string `json:"text"`
	}
	err := l.call(ctx, "locator.text_content", map[string]any{"locator": loc}, &out)
	if err == nil {
		return sight{count: 1, rendered: true, text: out.Text}, nil
	}
	f := fault.From(err)
	switch f.Code {
	case fault.TargetNotFound, fault.FrameNotFound:
		return sight{}, nil
	case fault.TargetNotVisible:
		return sight{count: max(1, matchesIn(f).Count)}, nil
	case fault.MultipleTargets:
	default:
		return sight{}, f
	}
	several := matchesIn(f)
	s := sight{count: max(2, several.Count)}
	for _, c := range several.Candidates {
		if c.Rendered {
			s.rendered, s.text = true, c.Text
			return s, nil
		}
	}
	if s.count > len(several.Candidates) {
		// The fault shows the first few only, and they are hidden.
		loc.Strict = false
		one, err := l.ask(ctx, loc)
		s.rendered, s.text = one.rendered, one.text
		return s, err
	}
	return s, nil
}

// matches is the evidence of the faults of locators.
type matches struct {
	Count      int `json:"match_count"`
	Candidates []struct {
		Text     string `json:"text"`
		Rendered bool   `json:"rendered"`
	} `json:"candidates"`
}

// matchesIn reads the evidence, which came from the page; what is not there
// stays zero.
func matchesIn(f *fault.Error) (m matches) {
	raw, err := json.Marshal(f.Evidence)
	if err != nil || json.Unmarshal(raw, &m) != nil {
		return matches{}
	}
	return m
}

// enabled tells whether the element takes input; nil where that is not known.
func (l *look) enabled(ctx context.Context, loc locator) (*bool, error) {
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
		// Off screen, covered or disabled: the evidence tells which.
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
