package recording

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/compile"
)

// run returns what was recorded in the form that package compile takes.
func (of *recording) run() compile.Run {
	run := compile.Run{Source: compile.SourceRecording}
	for i, s := range of.kept() {
		out := compile.Step{Number: i + 1, URL: s.URL, At: s.At, Navigated: s.Navigated, OpenedTab: s.OpenedTab}
		if s.Target.Tag != "" {
			out.Target = &s.Target
		}
		if s.Destination.Tag != "" {
			out.Destination = &s.Destination
		}
		name, args := s.call()
		out.Primitive = name
		out.Args, _ = json.Marshal(args) // strings, numbers and booleans always encode
		out.Constant = s.Kept != nil
		run.Steps = append(run.Steps, out)
	}
	return run
}

// withheld stands for a value that nobody read.
var withheld = map[string]any{"length": 0}

// call returns the primitive that does the step, and its arguments.
func (s *step) call() (name string, args map[string]any) {
	if s.Kept != nil {
		if s.Event == "select" {
			return "locator.select_option", map[string]any{"label": *s.Kept}
		}
		return "locator.fill", map[string]any{"text": *s.Kept}
	}
	if len(s.Modifiers) > 0 {
		args = map[string]any{"modifiers": s.Modifiers}
	}
	switch s.Event {
	case "double_click":
		return "locator.double_click", args
	case "fill":
		if s.Token == "" || s.Target.Secret {
			return "locator.fill", map[string]any{"text": withheld}
		}
		return "locator.fill", map[string]any{"text": s.Token}
	case "select":
		return "locator.select_option", map[string]any{"label": withheld}
	case "check":
		return "locator.set_checked", map[string]any{"checked": s.Checked}
	case "press":
		return "locator.press", map[string]any{"key": s.Key}
	case "upload":
		return "locator.upload_file", map[string]any{"path": withheld}
	case "drag":
		return "locator.drag_to", nil
	case "assert":
		return "locator.wait_for", nil
	case "navigate":
		return "browser.navigate", map[string]any{"url": s.Navigated}
	}
	return "locator.click", args
}
