// Package components operates the components of well-known libraries as an agent would that
// sees nothing but snapshots, and judges by the components' own events.
//
// Rules of this package:
//   - A task names its targets as the lines of a snapshot do. It is tried once.
//   - What counts is the page's model, which the components' change events alone write.
//   - A task that fails for a known reason is marked as open, and is skipped while it fails.
//   - At least 95 of 100 tasks must be done; in a long run all that are not open.
package components

import (
	"cmp"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	os.Exit(code)
}

// library is a page of test/sites/components with what is to be done on it.
type library struct {
	name  string
	tasks []task
}

// task is one thing that a person would do with one component.
type task struct {
	name  string
	steps []string // see [agent.step]
	want  string   // JavaScript that holds once the component has reported it
	open  string   // why it fails until now
}

// minPassed is how many of 100 tasks must be done at the first try.
const minPassed = 95

// fewTasks is how many tasks of a library are tried where there is no time for all.
const fewTasks = 3

// chosen returns the tasks to try: all in a long run, else the first ones that are not open.
func (l library) chosen() []task {
	if harness.Long() {
		return l.tasks
	}
	closed := slices.DeleteFunc(slices.Clone(l.tasks), func(one task) bool { return one.open != "" })
	return closed[:min(fewTasks, len(closed))]
}

func libraries() []library {
	return append(append(reactLibraries(), vueLibraries()...), otherLibraries()...)
}

func TestComponents(t *testing.T) {
	// Ensure that components of well-known libraries take what an agent does by snapshots at the first try, judged by their own change events.
	handler, err := sites.Components()
	if err != nil {
		t.Fatal(err)
	}
	home := harness.Shared(t)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	origin := strings.Replace(server.URL, "127.0.0.1", harness.Site(t), 1)
	b := home.Open(t, origin+"/empty.css")
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clients[0].Close() })
	a := &agent{client: clients[0], origin: origin}
	for _, info := range harness.Targets(t, b) {
		if info.Type == "page" && strings.HasPrefix(info.URL, origin) {
			a.page = harness.Attach(t, b, info.TargetID)
		}
	}
	passed, failed := 0, 0
	for _, l := range libraries() {
		t.Run(l.name, func(t *testing.T) {
			for _, one := range l.chosen() {
				t.Run(one.name, func(t *testing.T) {
					err := a.do(t.Context(), l.name, one)
					switch {
					case err == nil && one.open == "":
						passed++
					case err == nil:
						passed++
						t.Logf("it passes now: %s", one.open)
					case one.open != "":
						failed++
						t.Skipf("open: %s: %v", one.open, firstLine(err))
					case harness.Long():
						failed++
						t.Error(err)
					default:
						failed++
						t.Skip("failed:", err)
					}
				})
			}
		})
	}
	t.Logf("%d tasks done at the first try, %d not", passed, failed)
	if passed*100 < (passed+failed)*minPassed {
		t.Errorf("fewer than %d of 100 were done", minPassed)
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return cmp.Or(line, "?")
}
