package recording

import (
	"net/url"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// keep has the last text of the token stay as it is, or become an input after all.
func (of *recording) keep(p protocol.RecordControl) error {
	for i := range slices.Backward(of.Steps) {
		s := &of.Steps[i]
		if p.Token == "" || s.Token != p.Token || s.Target.Secret {
			continue
		}
		s.Kept = nil
		if p.Do == "keep" {
			s.Kept = &p.Text
		}
		return nil
	}
	return fault.New(fault.StateMismatch, "the recording has no text of that token").
		WithNextStep("Keep a text right after typing or choosing it; what a field for secrets holds is always an input.")
}

// kept returns the steps with the kept texts in place of their tokens, wherever the page repeated
// them: they are the page's own words then.
func (of *recording) kept() []step {
	var inWords, inPaths, inParameters []string
	for _, s := range of.Steps {
		if s.Kept != nil {
			inWords = append(inWords, s.Token, *s.Kept)
			inPaths = append(inPaths, s.Token, url.PathEscape(*s.Kept))
			inParameters = append(inParameters, s.Token, url.QueryEscape(*s.Kept))
		}
	}
	words, paths, parameters := strings.NewReplacer(inWords...), strings.NewReplacer(inPaths...), strings.NewReplacer(inParameters...)
	address := func(text string) string {
		path, query, found := strings.Cut(text, "?")
		if !found {
			return paths.Replace(path)
		}
		return paths.Replace(path) + "?" + parameters.Replace(query)
	}
	steps := slices.Clone(of.Steps)
	for i := range steps {
		s := &steps[i]
		s.Target, s.Destination = replaced(s.Target, words), replaced(s.Destination, words)
		s.URL, s.Navigated = address(s.URL), address(s.Navigated)
	}
	return steps
}

func replaced(t protocol.MetTarget, words *strings.Replacer) protocol.MetTarget {
	for _, text := range []*string{&t.Name, &t.Label, &t.Text, &t.TestID, &t.Selector, &t.Row.Selector, &t.Row.Text, &t.Row.Inner} {
		*text = words.Replace(*text)
	}
	return t
}
