package primitives

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	// maxOpenFields bounds how many fields of a document are told apart; the others are left out.
	maxOpenFields = 300
	// fieldTimeout bounds the look at the fields of one document.
	fieldTimeout = 2 * time.Second
	// watchTimeout bounds the wait for the scripts of documents: some documents take none.
	watchTimeout = 300 * time.Millisecond
	// transitionDelay is the pause after a picture of a page that showed what it was before.
	transitionDelay = 150 * time.Millisecond
)

// fieldList is the fields of one document that may be seen, in that document.
type fieldList struct {
	frame  browser.Frame
	id     runtime.RemoteObjectID // of the list
	open   int
	hidden int
}

// watchFrames has the scripts of the tab's documents begin to notice their password fields. A
// document that has none cannot tell of fields that were such before.
func (k *cover) watchFrames(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, watchTimeout)
	defer cancel()
	_, _ = k.h.Browser.Frames(limited, k.c.TabID)
}

// judgeFields asks the documents that may be seen for the fields that may be. Those of a
// document that does not answer are all left out.
func (k *cover) judgeFields(ctx context.Context) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	k.fields = nil
	for _, f := range k.shown {
		if manifest.IsExtensionPage(f.URL) {
			continue
		}
		wg.Go(func() {
			if list, err := k.fieldsOf(ctx, f); err == nil {
				mu.Lock()
				defer mu.Unlock()
				k.fields = append(k.fields, list)
			}
		})
	}
	wg.Wait()
}

func (k *cover) fieldsOf(ctx context.Context, f browser.Frame) (list fieldList, err error) {
	expression, err := browser.OpenFields(maxOpenFields)
	if err != nil {
		return list, err
	}
	err = k.inFrame(ctx, f, func(ctx context.Context, d *browser.Debugger) error {
		world, err := cdp.Call(ctx, d, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: cdp.FrameID(f.ID), WorldName: coverWorld})
		if err != nil {
			return err
		}
		result, err := cdp.Call(ctx, d, runtime.Evaluate, runtime.EvaluateParams{
			Expression: expression, ContextID: world.ExecutionContextID, ObjectGroup: coverWorld, Silent: new(true),
		})
		if err != nil {
			return err
		}
		if result.ExceptionDetails != nil || result.Result.ObjectID == "" {
			return fault.New(fault.HandlerFailed, "the fields cannot be looked at")
		}
		list = fieldList{frame: f, id: result.Result.ObjectID}
		var counted [2]int
		if err := askList(ctx, d, list.id, `[this.length, this.hidden]`, &counted); err != nil {
			return err
		}
		list.open, list.hidden = counted[0], counted[1]
		return nil
	})
	return list, err
}

// inFrame runs work in the session of the frame.
func (k *cover) inFrame(ctx context.Context, f browser.Frame, work func(context.Context, *browser.Debugger) error) error {
	limited, cancel := context.WithTimeout(ctx, fieldTimeout)
	defer cancel()
	return k.following.In(limited, k.c.Origin, f.Session, func(ctx context.Context, d *browser.Debugger, _ string) error { return work(ctx, d) })
}

// askList evaluates an expression about a list of fields.
func askList(ctx context.Context, d *browser.Debugger, list runtime.RemoteObjectID, expression string, into any) error {
	result, err := cdp.Call(ctx, d, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function () { return " + expression + " }", ObjectID: list, ReturnByValue: new(true), Silent: new(true),
	})
	if err != nil {
		return err
	}
	if result.ExceptionDetails != nil {
		return fault.New(fault.HandlerFailed, "the fields cannot be looked at")
	}
	return json.Unmarshal(result.Result.Value, into)
}

// markOpenFields marks the fields that may be seen. One that is not marked is left out.
func (k *cover) markOpenFields(ctx context.Context) {
	for _, list := range k.fields {
		if list.open == 0 {
			continue
		}
		// What cannot be marked stays hidden.
		_ = k.inFrame(ctx, list.frame, func(ctx context.Context, d *browser.Debugger) error {
			if err := k.enableMarks(ctx, d, list.frame.Session); err != nil {
				return err
			}
			return markFields(ctx, d, list.id)
		})
	}
}

func markFields(ctx context.Context, d *browser.Debugger, list runtime.RemoteObjectID) error {
	members, err := cdp.Call(ctx, d, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: list, OwnProperties: new(true)})
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for _, member := range members.Result {
		if member.Value == nil || member.Value.Subtype != runtime.RemoteObjectSubtypeNode {
			continue
		}
		wg.Go(func() {
			node, err := cdp.Call(ctx, d, dom.RequestNode, dom.RequestNodeParams{ObjectID: member.Value.ObjectID})
			if err != nil {
				return
			}
			_, _ = cdp.Call(ctx, d, css.ForcePseudoState, css.ForcePseudoStateParams{NodeID: node.NodeID, ForcedPseudoClasses: []string{shownPseudoClass}})
		})
	}
	wg.Wait()
	return nil
}

// fieldsUnchanged reports whether the fields that were to be seen may still be, and whether
// each document showed itself as it is.
func (k *cover) fieldsUnchanged(ctx context.Context) bool {
	for _, list := range k.fields {
		var state struct{ Changed, Past bool }
		err := k.inFrame(ctx, list.frame, func(ctx context.Context, d *browser.Debugger) error {
			return askList(ctx, d, list.id, `{ changed: this.changed(), past: CSS.supports("selector(:active-view-transition)") && document.documentElement.matches(":active-view-transition") }`, &state)
		})
		if state.Past {
			_ = sleep(ctx, transitionDelay)
		}
		if err != nil || state.Changed || state.Past {
			return false
		}
	}
	return true
}

// hiddenFields returns how many fields were left out.
func (k *cover) hiddenFields() (count int) {
	for _, list := range k.fields {
		count += list.hidden
	}
	return count
}

// releaseFields lets go of what the documents keep for the lists.
func (k *cover) releaseFields(ctx context.Context) {
	for _, list := range k.fields {
		_ = k.inFrame(ctx, list.frame, func(ctx context.Context, d *browser.Debugger) error {
			var none any
			if err := askList(ctx, d, list.id, `this.close(), null`, &none); err != nil {
				return err
			}
			_, err := cdp.Call(ctx, d, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: coverWorld})
			return err
		})
	}
	k.fields = nil
}
