package a11y

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/redact"
)

// minSecretLength is the length of the shortest secret that is redacted in the names of other
// nodes: a shorter one would match too many of them.
const minSecretLength = 4

// field describes an element that takes text.
type field struct {
	Plain  bool `json:"plain"` // input or textarea: what is inside is its value once more
	Secret bool `json:"secret"`
}

// mayTakeText reports whether an element that takes text may be behind the node.
func (n *node) mayTakeText() bool {
	if n.backend == 0 || n.role == "StaticText" || n.role == "InlineTextBox" {
		return false
	}
	return n.value != "" || n.state("editable") == "plaintext" || n.role == "status" || strings.EqualFold(n.role, "textbox") || strings.EqualFold(n.role, "searchbox")
}

// fields returns the nodes that may take text, at or below the node. An editor is one of them,
// whatever is in it.
func (n *node) fields(edited bool, found []*node) []*node {
	editable := n.state("editable") != ""
	if n.mayTakeText() || editable && !edited && n.backend != 0 {
		found = append(found, n)
	}
	for _, child := range n.children {
		found = child.fields(editable, found)
	}
	return found
}

// redactSecrets redacts the content of secret fields in one frame's tree, wherever it occurs:
// as their value, inside of them, or in the name or the description of another node.
func (f *axTree) redactSecrets(ctx context.Context, d *browser.Debugger, root *node) error {
	fields := root.fields(false, nil)
	if len(fields) == 0 {
		return nil
	}
	found, err := inspectFields(ctx, d, root.frame, fields)
	if err != nil {
		return err
	}
	var secrets []string
	for i, n := range fields {
		if found[i].Plain {
			n.children = nil
		}
		if !found[i].Secret {
			continue
		}
		n.isSecret = true
		n.children = nil
		if len([]rune(n.value)) >= minSecretLength {
			secrets = append(secrets, n.value)
		}
	}
	root.each(func(n *node) {
		for _, value := range secrets {
			n.name = strings.ReplaceAll(n.name, value, redact.Mark)
			n.description = strings.ReplaceAll(n.description, value, redact.Mark)
			if !n.isSecret {
				n.value = strings.ReplaceAll(n.value, value, redact.Mark)
			}
		}
		if n.isSecret && n.value != "" {
			n.value = redact.Mark
		}
	})
	return nil
}

// inspectFields asks the elements of one frame themselves, in a world where the page's scripts
// do not reach. An element that is gone by now counts as secret.
func inspectFields(ctx context.Context, d *browser.Debugger, frame cdp.FrameID, fields []*node) ([]field, error) {
	world, err := cdp.Call(ctx, d, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: worldName})
	if err != nil {
		return nil, err
	}
	arguments, err := callArguments(browser.FieldArguments()...)
	if err != nil {
		return nil, err
	}
	elements := make([]*runtime.CallArgument, len(fields))
	var wg sync.WaitGroup
	for i, n := range fields {
		wg.Go(func() {
			elements[i] = &runtime.CallArgument{UnserializableValue: "NaN"}
			if element, err := cdp.Call(ctx, d, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: n.backend, ExecutionContextID: world.ExecutionContextID, ObjectGroup: worldName}); err == nil {
				elements[i] = &runtime.CallArgument{ObjectID: element.Object.ObjectID}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	result, err := cdp.Call(ctx, d, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: browser.FieldFunction, ExecutionContextID: world.ExecutionContextID, Arguments: append(arguments, elements...),
		ReturnByValue: new(true), Silent: new(true),
	})
	if err != nil {
		return nil, err
	}
	if _, err := cdp.Call(ctx, d, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: worldName}); err != nil {
		return nil, err
	}
	var found []field
	if result.ExceptionDetails != nil || json.Unmarshal(result.Result.Value, &found) != nil || len(found) != len(fields) {
		return nil, fault.New(fault.AccessibilityFailed, "the page's fields cannot be looked at")
	}
	return found, nil
}

func callArguments(values ...any) (list []*runtime.CallArgument, err error) {
	for _, value := range values {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fault.Wrap(err, fault.InternalError, "an argument cannot be written: %v", err)
		}
		list = append(list, &runtime.CallArgument{Value: jsontext.Value(raw)})
	}
	return list, nil
}
