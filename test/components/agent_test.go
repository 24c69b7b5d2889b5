package components

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
)

// An agent looks again until what it waits for is there, and its next thought takes seconds: so
// long a component has for what it draws and reports in its own time.
var thoughtTimeout = harness.Scaled(2 * time.Second)

// agent operates one tab.
type agent struct {
	client *control.Client
	page   *harness.Attached
	origin string
	opened int
}

// do carries out the task on a page of its own and returns what is not as it should be.
func (a *agent) do(ctx context.Context, library string, one task) error {
	a.opened++
	url := fmt.Sprintf(`{"url":"%s/%s.html?%d","force":true}`, a.origin, library, a.opened)
	if _, err := a.call(ctx, "browser.navigate", url); err != nil {
		return err
	}
	for _, step := range one.steps {
		if err := a.step(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
	wait, cancel := context.WithTimeout(ctx, thoughtTimeout)
	defer cancel()
	if err := harness.AwaitIn(wait, a.page, one.want); err != nil {
		model, _ := launch.Evaluate[string](ctx, a.page, "JSON.stringify(model)")
		return fmt.Errorf("%s does not hold: the components reported %s", one.want, model)
	}
	return nil
}

// step makes one call. A step is a verb, a target and perhaps a value:
//
//	click button "Save"                  the first such line of the snapshot
//	click button "Save" #2               the third
//	click "Saturday"                     what has this name or text
//	fill textbox "Name" = Ann            select, press and type take a value, too
//	drag button "A" to button "B"
func (a *agent) step(ctx context.Context, step string) error {
	call, value, _ := strings.Cut(step, " = ")
	verb, target, _ := strings.Cut(call, " ")
	targets := []string{target}
	if verb == "drag" {
		targets = strings.Split(target, " to ")
	}
	var locators []any
	for _, target := range targets {
		if target == "" {
			continue
		}
		locator, err := a.find(ctx, target)
		if err != nil {
			return err
		}
		locators = append(locators, locator)
	}
	args := map[string]any{}
	if len(locators) > 0 {
		args["locator"] = locators[0]
	}
	name := "locator." + verb
	switch verb {
	case "click", "hover":
	case "menu":
		name, args["button"] = "locator.click", "right"
	case "double":
		name = "locator.double_click"
	case "fill":
		args["text"] = value
	case "select":
		name, args["label"] = "locator.select_option", value
	case "check":
		name, args["checked"] = "locator.set_checked", true
	case "drag":
		name, args["to"] = "locator.drag_to", locators[1]
	case "press":
		args["key"] = value
		if len(locators) == 0 {
			name, args["trusted"] = "keyboard.press", true
		}
	case "type":
		name, args = "text.type", map[string]any{"text": value, "trusted": true}
	default:
		return fmt.Errorf("no verb %q", verb)
	}
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	_, err = a.call(ctx, name, string(text))
	return err
}

// find returns a locator of a target as soon as the snapshot has its line: the ref, or the text
// where nothing around it has one.
func (a *agent) find(ctx context.Context, target string) (any, error) {
	for end := time.Now().Add(thoughtTimeout); ; {
		output, err := a.call(ctx, "page.snapshot", `{"max_chars":30000}`)
		if err != nil {
			return nil, err
		}
		var out struct{ Snapshot string }
		if err := json.Unmarshal(output, &out); err != nil {
			return nil, err
		}
		text, byText := strings.CutPrefix(target, `"`)
		text = strings.TrimSuffix(text, `"`)
		ref, ok := refOf(out.Snapshot, target)
		if byText {
			ref, ok = refAround(out.Snapshot, text)
		}
		switch {
		case ref != "":
			return map[string]string{"ref": ref}, nil
		case ok:
			return map[string]string{"text_equals": text}, nil
		case time.Now().After(end):
			return nil, fmt.Errorf("no ref in\n%s", out.Snapshot)
		}
		if _, err := a.call(ctx, "page.wait_for", `{"stable":50}`); err != nil {
			return nil, err
		}
	}
}

// attribute is what stands in brackets behind role and name.
var attribute = regexp.MustCompile(` \[[^\]]*\]`)

// ref returns the ref that a line gives, if it does.
func ref(line string) string {
	_, rest, _ := strings.Cut(line, "[ref=")
	ref, _, _ := strings.Cut(rest, "]")
	return ref
}

// refOf returns the ref of the line with this role and name, or of the nth such line.
func refOf(snapshot, target string) (string, bool) {
	begin, place, _ := strings.Cut(target, " #")
	nth, _ := strconv.Atoi(place) // the first without a place
	for line := range strings.Lines(snapshot) {
		rest, ok := strings.CutPrefix(strings.TrimLeft(line, " -'"), begin)
		if !ok || !strings.ContainsAny(rest[:1], " :\n") || ref(rest) == "" {
			continue
		}
		if nth--; nth < 0 {
			return ref(rest), true
		}
	}
	return "", false
}

// refAround returns the ref of the first line that has this name or text, or else of the
// innermost line around it that has one, and whether there is such a line.
func refAround(snapshot, text string) (string, bool) {
	var around []string
	for line := range strings.Lines(snapshot) {
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		around = append(around[:min(depth, len(around))], ref(line))
		plain := strings.TrimSpace(attribute.ReplaceAllString(line, ""))
		if !strings.Contains(plain+":", fmt.Sprintf(" %q:", text)) && !strings.HasSuffix(plain, ": "+text) {
			continue
		}
		for i := len(around) - 1; i >= 0; i-- {
			if around[i] != "" {
				return around[i], true
			}
		}
		return "", true
	}
	return "", false
}

// call makes a call that must succeed.
func (a *agent) call(ctx context.Context, name, args string) (json.RawMessage, error) {
	var members map[string]any
	if err := json.Unmarshal([]byte(args), &members); err != nil {
		return nil, err
	}
	members["policy_exception_report"] = policy.Report{Kind: policy.KindGeneric, IntendedTool: name, ActionsJSONPath: "none", Reason: "A test."}
	raw, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	var e dispatch.Envelope
	err = a.client.Call(ctx, control.MethodCall, control.CallParams{
		Session: control.SessionParams{Kind: policy.SessionCLI}, Name: name, Arguments: raw,
	}, &e)
	if err != nil {
		return nil, err
	}
	if !e.OK {
		return nil, fmt.Errorf("%s: %s: %s %v", name, e.Error.Code, e.Error.Message, e.Error.Evidence)
	}
	return e.Output, nil
}
