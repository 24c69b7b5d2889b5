// Package scripts runs JavaScript of callers: in the page of a tab, and in the extension's
// sandbox, from where it reaches pages by steps of its own.
//
// Rules of this package:
//   - Code ends with its call: what keeps the page busy is terminated, and its timers are
//     cleared where they are not the page's own.
//   - Real input of code is a step like any other, and only the function of one run, in one
//     document, can ask for it.
//   - What code returns, throws and writes is untrusted.
package scripts

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Handlers runs the primitives that take code.
type Handlers struct {
	Browser *browser.Browser
	Tabs    *tabs.Registry
	// Path runs the steps of code in the sandbox.
	Path Path
	// Libraries returns the code that the user has approved for a page's address; nil: none.
	Libraries func(url string) []Library
	// ScriptInput reports whether the user lets code in a page ask for real input; nil: no.
	ScriptInput func() bool

	terminators terminators
}

// Path runs steps of the call of the context.
type Path interface {
	Step(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	InternalStep(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
}

// Library is code that the user has approved for a page.
type Library struct{ Name, Code string }

// Handlers returns the handlers of this package by primitive name.
func (h *Handlers) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{
		"browser.run_javascript": h.runJavaScript,
		"debug.run_javascript":   h.runJavaScript,
		"automation.repl":        h.repl,
		browserJSPrimitive:       h.browserJS,
	}
}
