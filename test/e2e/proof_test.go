package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// savedTask is a job that is done once, saved as an action, and done again with other inputs. In
// what is done and in what the server gets, {0} is the first value.
type savedTask struct {
	site, name, page string
	acts             []act
	first            []string // what the one who does it types and chooses
	again            []any    // what the action's inputs are then, in their order
	also             []string // what follows from them, after all of them
	got              []string // what the server gets, and nothing else
	ignored          []string // what it gets of the way: words of requests
	usual            bool     // in the normal lane too
}

// act is one thing that is done, by primitives and by hand alike.
type act struct {
	do    string
	line  string // how the target's line of a snapshot begins; or a locator
	nth   int    // of such lines
	at    string // JavaScript that returns the target: where a hand goes
	frame string // the end of the address of a frame of another site, where it is in one
	value string
	keys  string // what a hand presses for the value, where it is not the value
}

// eyes help a hand to find what it looks for; within a frame of the same site, too.
const eyes = `const $ = (selector, text = "") => [...document.querySelectorAll(selector)].find(e => e.textContent.includes(text));
	const $in = (frame, selector) => ({ scrollIntoViewIfNeeded() { $(frame).scrollIntoViewIfNeeded() }, getBoundingClientRect() {
		const f = $(frame), out = f.getBoundingClientRect(), r = f.contentDocument.querySelector(selector).getBoundingClientRect();
		return new DOMRect(out.left + f.clientLeft + parseFloat(getComputedStyle(f).paddingLeft) + r.left, out.top + f.clientTop + parseFloat(getComputedStyle(f).paddingTop) + r.top, r.width, r.height) } });`

func filled(text string, values []string) string {
	for i, value := range values {
		text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i), value)
	}
	return text
}

// saver does the tasks in one browser.
type saver struct {
	*visitor
	b       *launch.Browser
	origins map[string]string
}

func newSaver(t *testing.T) *saver {
	t.Helper()
	v, b, gallery, shop := newVisitor(t)
	return &saver{v, b, map[string]string{"gallery": gallery, "teahouse": shop, "": serve(t, savedPages(v.rec))}}
}

// goes opens the page of a task.
func (s *saver) goes(j savedTask) {
	s.Helper()
	origin, ok := s.origins[j.site]
	if !ok {
		origin = s.origins[""]
	}
	s.origin = origin
	s.open(j.page)
}

// got returns what the server was told since the page was opened, without what is only of the way.
func (s *saver) got(j savedTask) []string {
	got := []string{}
	for _, r := range s.rec.All()[s.begun:] {
		line := r.Path
		var told map[string]any
		if r.Body != "" && json.Unmarshal([]byte(r.Body), &told) == nil {
			delete(told, "sent")
			delete(told, "page")
			raw, err := json.Marshal(told)
			if err != nil {
				s.Fatal(err)
			}
			line = string(raw)
		} else if r.Body != "" {
			line += " " + r.Body
		}
		if !slices.ContainsFunc(j.ignored, func(words string) bool { return strings.Contains(line, words) }) {
			got = append(got, line)
		}
	}
	slices.Sort(got)
	return got
}

var unfilled = regexp.MustCompile(`\{[0-9]\}`)

func wantOf(j savedTask, values []string) []string {
	var want []string
	for _, line := range j.got {
		if line = filled(line, values); unfilled.MatchString(line) {
			continue // of a longer list
		}
		var told map[string]any
		if json.Unmarshal([]byte(line), &told) == nil {
			raw, _ := json.Marshal(told) // it was JSON
			line = string(raw)
		}
		want = append(want, line)
	}
	slices.Sort(want)
	return want
}

// sent waits until all that the page has sent has arrived.
func (s *saver) sent() {
	s.Helper()
	eval[bool](s.page, `Promise.all(globalThis.seen?.sent ?? []).then(() => true)`)
}

// byPrimitives does the task as an agent does, and saves it.
func (s *saver) byPrimitives(j savedTask, name string) saved {
	s.Helper()
	s.as = control.SessionParams{Kind: policy.SessionMCP, ID: strings.ReplaceAll(name, ".", "")}
	s.goes(j)
	for _, a := range j.acts {
		value := filled(a.value, j.first)
		if a.do == "wait" {
			s.page.until(a.at, a.at)
			continue
		}
		s.look()
		args := map[string]any{}
		if a.line != "" {
			args["locator"] = s.target(filled(a.line, j.first), a.nth)
		}
		tool := "locator." + a.do
		switch a.do {
		case "type":
			tool, args["text"] = "locator.fill", value
		case "choose":
			tool, args["label"] = "locator.select_option", value
		case "check":
			tool, args["checked"] = "locator.set_checked", true
		case "double":
			tool = "locator.double_click"
		case "press":
			tool, args["key"] = "keyboard.press", value
		case "scroll":
			tool, args["delta_y"] = "viewport.scroll", 15000
			args["scope"] = args["locator"]
			delete(args, "locator")
		case "drag":
			tool, args["to"] = "locator.drag_to", s.target(value, 0)
		}
		raw, err := json.Marshal(args)
		if err != nil {
			s.Fatal(err)
		}
		s.do(tool, string(raw), nil)
	}
	s.arrives(j, "by primitives", wantOf(j, j.first))
	var made saved
	made.refused(s.try("actions.save", fmt.Sprintf(`{"name":%q}`, name)))
	return made
}

// target is the ref of a line of the snapshot, or the locator that stands in its place.
func (s *saver) target(line string, nth int) json.RawMessage {
	s.Helper()
	if strings.HasPrefix(line, "{") {
		return json.RawMessage(line)
	}
	return json.RawMessage(s.ref(line, nth))
}

// saved is an action that was made, or why not.
type saved struct {
	Action, Path             string
	Inputs, Sentences, Notes []string
	why                      string
}

func (made *saved) refused(e dispatch.Envelope) {
	if !e.OK {
		made.why = fmt.Sprintf("%s: %s", e.Error.Code, e.Error.Message)
	} else if err := json.Unmarshal(e.Output, made); err != nil {
		made.why = err.Error()
	}
}

// byHand does the task with mouse and keys while it is recorded.
func (s *saver) byHand(j savedTask, name string) saved {
	s.Helper()
	s.goes(j)
	r := &recorder{s.T, s.home, s.b, s.page}
	done := r.begin(name)
	for _, a := range j.acts {
		s.hand(a, j.first)
	}
	s.arrives(j, "by hand", wantOf(j, j.first))
	s.hand(act{do: "wait", at: `document.readyState === "complete"`}, nil)
	r.presses("Done")
	var made saved
	out := <-done
	if err := json.Unmarshal([]byte(out.Stdout), &made); err != nil || out.Exit != 0 {
		made.why = out.Stdout + out.Stderr
	}
	return made
}

func (s *saver) hand(a act, values []string) {
	s.Helper()
	d := s.page
	if a.frame != "" {
		d = attach(s.T, s.b, frameOf(s.T, s.b, a.frame))
	}
	value := filled(a.value, values)
	point := func(js string) [2]float64 {
		js = fmt.Sprintf(`(() => { %s return %s })()`, eyes, filled(js, values))
		d.until("there is "+js, `!!`+js)
		return eval[[2]float64](d, `(e => (e.scrollIntoViewIfNeeded?.(), e = e.getBoundingClientRect(), [e.left + e.width / 2, e.top + e.height / 2]))(`+js+`)`)
	}
	keys := func(text string) {
		for _, r := range text {
			d.key(string(r), "", 0, string(r), 0)
		}
	}
	mouse := func(kind input.DispatchMouseEventType, at [2]float64, clicks int64) {
		do(d, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, Buttons: 1, ClickCount: clicks})
	}
	if a.keys != "" {
		value = filled(a.keys, values)
	}
	switch a.do {
	case "wait":
		d.until(a.at, a.at)
		d.until("the mark is shown", markShown)
	case "click", "check":
		at := point(a.at)
		d.mouseAt(at[0], at[1])
	case "double":
		at := point(a.at)
		for clicks := range int64(2) {
			mouse(input.DispatchMouseEventTypeMousePressed, at, clicks+1)
			mouse(input.DispatchMouseEventTypeMouseReleased, at, clicks+1)
		}
	case "type":
		if a.at != "" {
			at := point(a.at)
			d.mouseAt(at[0], at[1])
		}
		keys(value)
	case "choose": // the field before has the focus
		d.key("Tab", "Tab", 9, "", 0)
		keys(value)
	case "press":
		d.key(value, value, map[string]int64{"Enter": 13, "ArrowDown": 40}[value], map[string]string{"Enter": "\r"}[value], 0)
	case "scroll":
		at := point(a.at)
		do(d, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: at[0], Y: at[1], DeltaX: 0.01, DeltaY: 15000}) // it takes no 0 for one that is not given
	case "drag":
		from, to := point(a.at), point(a.keys)
		mouse(input.DispatchMouseEventTypeMousePressed, from, 1)
		for i := range 6 {
			step := float64(i) / 5
			mouse(input.DispatchMouseEventTypeMouseMoved, [2]float64{from[0] + 8 + (to[0]-from[0]-8)*step, from[1] + (to[1]-from[1])*step}, 0)
		}
		mouse(input.DispatchMouseEventTypeMouseReleased, to, 1)
	default:
		s.Fatalf("no hand can %s", a.do)
	}
}

// arrives waits until the server has got as much as it should, and judges it.
func (s *saver) arrives(j savedTask, how string, want []string) {
	s.Helper()
	harness.Until(s, fmt.Sprintf("%s, %s: the server gets %v, now %v", j.name, how, want, s.got(j)), func() bool { return len(s.got(j)) >= len(want) })
	s.sent()
	if got := s.got(j); !slices.Equal(got, want) {
		s.Fatalf("%s, %s: the server has got %v, not %v", j.name, how, got, want)
	}
}

// repeats runs the action with other inputs, and returns what became of it.
func (s *saver) repeats(j savedTask, how, name string, made saved) (result string) {
	s.Helper()
	if made.why != "" {
		return "refused: " + made.why
	}
	s.Logf("%s %s:\n%s\n%s\n%s", j.name, how, strings.Join(made.Sentences, "\n"), strings.Join(made.Inputs, ", "), strings.Join(made.Notes, "\n"))
	if len(made.Inputs) != len(j.again) {
		return fmt.Sprintf("it has the inputs %v", made.Inputs)
	}
	args := map[string]any{}
	var values []string
	for i, value := range j.again {
		args[made.Inputs[i]] = value
		if text, ok := value.(string); ok {
			values = append(values, text)
			continue
		}
		for _, each := range value.([]any) {
			values = append(values, each.(string))
		}
	}
	values = append(values, j.also...)
	raw, err := json.Marshal(map[string]any{"mode": "call", "action": name, "arguments": args})
	if err != nil {
		s.Fatal(err)
	}
	s.goes(j)
	e, want := s.try("actions.site", string(raw)), wantOf(j, values)
	if e.OK {
		s.arrives(j, how+", again", want)
		return "works"
	}
	s.sent()
	for _, line := range s.got(j) {
		if !slices.Contains(want, line) {
			s.Errorf("%s, %s: FALSE: %v, and the server has got %s", j.name, how, e.Error, line)
		}
	}
	return fmt.Sprintf("refused: %s: %s", e.Error.Code, e.Error.Message)
}

func TestSavedTasks(t *testing.T) {
	// Ensure that jobs on pages of many kinds, done once by primitives and once by hand, and saved, are done again with other inputs: what the server gets is what these say, nothing else is ever pressed, and where it cannot be it is refused.
	s := newSaver(t)
	var table strings.Builder
	fmt.Fprintf(&table, "# Jobs that were done once, saved, and done again with other inputs\n\nWritten by `ACTIONS_LONG=1 go test ./test/e2e -run TestSavedTasks -update`, and checked by it.\n\n| # | site | job | by primitives | by hand |\n|---|---|---|---|---|\n")
	works, made := map[string]int{}, map[string]saved{}
	results := map[string]string{}
	each := func(do func(s *saver, i int, j savedTask, how, name string)) {
		for _, how := range []string{"hand", "primitives"} {
			for i, j := range savedTasks {
				name := fmt.Sprintf("job%d.by_%s", i+1, how)
				if !harness.Long() && !j.usual {
					continue
				}
				t.Run(j.name+" by "+how, func(t *testing.T) {
					visitor := *s.visitor
					one := &saver{&visitor, s.b, s.origins}
					one.T, one.page.t, one.as = t, t, control.SessionParams{Kind: policy.SessionCLI}
					do(one, i, j, how, name)
				})
			}
		}
	}
	// Right after an agent's hand what comes from the page is not taken for the user's: they record first.
	each(func(s *saver, _ int, j savedTask, how, name string) {
		if how == "hand" {
			made[name] = s.byHand(j, name)
		} else {
			made[name] = s.byPrimitives(j, name)
		}
		s.holdsNothing(j, made[name])
	})
	each(func(s *saver, _ int, j savedTask, how, name string) {
		results[name] = s.repeats(j, how, name, made[name])
		if results[name] == "works" {
			works[how]++
			return
		}
		s.Log(results[name])
		if j.usual {
			s.Fail()
		}
		if made[name].Path != "" {
			text, _ := os.ReadFile(s.file(made[name]))
			s.Logf("%s", text)
		}
	})
	for i, j := range savedTasks {
		fmt.Fprintf(&table, "| %d | %s | %s | %s | %s |\n", i+1, j.site, j.name, results[fmt.Sprintf("job%d.by_primitives", i+1)], results[fmt.Sprintf("job%d.by_hand", i+1)])
	}
	if !harness.Long() || t.Failed() {
		return
	}
	fmt.Fprintf(&table, "\nBy primitives %d of %d, by hand %d of %d; nothing else was pressed.\n", works["primitives"], len(savedTasks), works["hand"], len(savedTasks))
	if len(savedTasks) < 20 || works["primitives"] < 18 || works["hand"] < 18 {
		t.Errorf("too few:\n%s", table.String())
	}
	golden := filepath.Join("testdata", "saved_tasks.md")
	if *updateTable {
		if err := os.WriteFile(golden, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != table.String() {
		t.Errorf("%s is another one (%v):\n%s", golden, err, table.String())
	}
}

func (s *saver) file(made saved) string {
	if filepath.IsAbs(made.Path) {
		return made.Path
	}
	return filepath.Join(s.home.Dir, "storage", made.Path)
}

// holdsNothing fails where the map has what was typed or chosen first.
func (s *saver) holdsNothing(j savedTask, made saved) {
	s.Helper()
	if made.Path == "" {
		return
	}
	text, err := os.ReadFile(s.file(made))
	if err != nil {
		s.Fatal(err)
	}
	for _, value := range j.first {
		if len(value) > 3 && strings.Contains(string(text), value) {
			s.Errorf("the map has %q:\n%s", value, text)
		}
	}
}

// savedPages serves the pages that the gallery does not have.
func savedPages(rec *sites.Recorder) http.Handler {
	mux := http.NewServeMux()
	for name, page := range savedSites {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, `<!doctype html><html lang=en><meta charset=utf-8><link rel=icon href="data:,"><style>%s</style><script>%s</script>%s`, savedStyle, savedScript, page)
		})
	}
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		if _, err := rec.Add(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		} else if next := r.URL.Query().Get("next"); next != "" {
			http.Redirect(w, r, "/"+next, http.StatusSeeOther)
		}
	})
	return mux
}
