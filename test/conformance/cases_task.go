package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	taskAdd      = "task.add"
	taskNext     = "task.next"
	taskComplete = "task.complete"
	taskList     = "task.list"
	taskClear    = "task.clear"
)

// taskCases need the host, which keeps the queues. The cases share one session
// and tab, so that each begins with an empty queue.
func taskCases() []Case {
	return []Case{
		{Name: taskAdd + "/adds one task and several, all or none", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(taskClear, `{}`)
			out := p.ok(taskAdd, `{"text":"one"}`)
			p.is(out, "added.0.status", `"pending"`)
			p.is(out, "added.0.result", `null`)
			out = p.ok(taskAdd, `{"tasks":["two",{"text":"three"}]}`)
			p.is(out, "added.length", `2`)
			p.is(out, "total", `3`)
			p.is(out, "tasks.2.text", `"three"`)
			for _, bad := range []string{`{}`, `{"text":""}`, `{"text":"a","tasks":["b"]}`, `{"tasks":[]}`, `{"tasks":["ok"," "]}`,
				`{"text":"` + strings.Repeat("x", 4097) + `"}`} {
				p.fails(taskAdd, bad, fault.InvalidTask)
			}
			p.fails(taskAdd, `{"text":7}`, fault.InvalidInput)
			p.fails(taskAdd, fmt.Sprintf(`{"tasks":[%s"x"]}`, strings.Repeat(`"x",`, 497)), fault.TaskLimitReached)
			p.is(p.ok(taskList, `{}`), "total", `3`)
		}},
		{Name: taskAdd + "/keeps its queue over a navigation", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(taskClear, `{}`)
			p.ok(taskAdd, `{"text":"survive"}`)
			p.eval(`location.reload(), 0`)
			p.ok("locator.wait_for", `{"locator":{"selector":"p"}}`)
			p.is(p.ok(taskList, `{}`), "tasks.0.text", `"survive"`)
		}},
		{Name: taskNext + "/gives the tasks in order and then says done", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(taskClear, `{}`)
			p.is(p.ok(taskNext, `{}`), "done", `true`)
			p.ok(taskAdd, `{"tasks":["a","b"]}`)
			out := p.ok(taskNext, `{}`)
			p.is(out, "done", `false`)
			p.is(out, "task.text", `"a"`)
			p.is(out, "task.status", `"in_progress"`)
			p.is(out, "remaining", `1`)
			out = p.ok(taskNext, `{}`) // begun and not completed: again, not skipped
			p.is(out, "task.text", `"a"`)
			p.is(out, "remaining", `1`)
			p.ok(taskComplete, `{}`)
			p.is(p.ok(taskNext, `{}`), "remaining", `0`)
			p.ok(taskComplete, `{"status":"failed"}`)
			out = p.ok(taskNext, `{}`)
			p.is(out, "done", `true`)
			p.is(out, "completed", `1`)
			p.is(out, "failed", `1`)
		}},
		{Name: taskComplete + "/ends the active or the named task", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(taskClear, `{}`)
			added := p.ok(taskAdd, `{"tasks":["a","b"]}`)
			p.fails(taskComplete, `{}`, fault.NoActiveTask)
			p.fails(taskComplete, `{"id":"task-0"}`, fault.UnknownTask)
			p.fails(taskComplete, `{"status":"maybe"}`, fault.InvalidInput)
			p.ok(taskNext, `{}`)
			out := p.ok(taskComplete, `{"result":{"price":"12.50"}}`)
			p.is(out, "task.text", `"a"`)
			p.is(out, "task.result.price", `"12.50"`)
			p.is(out, "pending", `1`)
			out = p.ok(taskComplete, fmt.Sprintf(`{"id":%q,"status":"failed","result":"gone"}`, added.at("added.1.id")))
			p.is(out, "task.status", `"failed"`)
			p.fails(taskComplete, fmt.Sprintf(`{"id":%q,"result":%q}`, added.at("added.1.id"), strings.Repeat("x", 16<<10)), fault.InvalidTask)
			p.is(p.ok(taskList, `{}`), "tasks.1.result", `"gone"`)
		}},
		{Name: taskList + "/lists the queue of this tab only", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(taskClear, `{}`)
			p.is(p.ok(taskList, `{}`), "tasks", `[]`)
			p.ok(taskAdd, `{"text":"here"}`)
			out := p.ok(taskList, `{}`)
			p.is(out, "pending", `1`)
			p.is(out, "tasks.0.text", `"here"`)
			p.fails(taskList, `{"tab":1}`, fault.InvalidInput)
		}},
		{Name: taskClear + "/empties the queue", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(taskAdd, `{"text":"x"}`)
			out := p.ok(taskClear, `{}`)
			p.is(out, "cleared", `true`)
			p.is(out, "total", `0`)
			p.is(p.ok(taskList, `{}`), "total", `0`)
		}},
	}
}
