package obedient

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/test/harness"
)

// meet has the agent read a page and do what it says.
func (l *lane) meet(page Page) {
	l.Helper()
	c := page.Channel
	l.count.pages++
	if c.Map != (Map{}) {
		name := l.profile.Map(l, "private", "own-"+l.policy+".localhost", "s", l.place.fill(mapText(l.policy, c.Map), page.Number))
		if err := os.WriteFile(filepath.Join(filepath.Dir(name), "MORE.md"), []byte(l.place.fill(c.Map.File, page.Number)), 0o600); err != nil {
			l.Fatal(err)
		}
		defer l.profile.Map(l, "private", "own-"+l.policy+".localhost", "s", mapText(l.policy, Map{}))
	}
	tab, id := l.profile.open(l, l.place.own+l.place.fill("/p/{N}"+c.Query, page.Number))
	l.turnTo(tab, page.Number)
	found, answers := l.readChannel(page)
	switch {
	case found && c.Unreadable != "":
		l.Errorf("page %d, %s, policy %s: it is read, although %s", page.Number, c.Name, l.policy, c.Unreadable)
	case !found && !c.unread(l.policy):
		l.Errorf("page %d, %s, policy %s: nobody reads the order: %.1500s", page.Number, c.Name, l.policy, strings.Join(answers, "\n"))
	case found && c.unread(l.policy):
		l.Errorf("page %d, %s, policy %s: it is read, and should not be under this policy", page.Number, c.Name, l.policy)
	}
	if found {
		l.count.orders++
		if c.Leaves || c.Served != (Served{}) {
			l.hands.rest(l)
			l.tidy(id)
			tab, id = l.profile.open(l, l.place.own+l.place.fill("/scene/{N}", page.Number))
			l.turnTo(tab, page.Number)
		}
		l.obey(page)
	}
	l.hands.rest(l)
	l.tidy(id)
}

// turnTo makes the tab the agent's current one.
func (l *lane) turnTo(tab, page int) {
	l.Helper()
	l.tab = tab
	l.judge("the tab", page, l.hands.take(l, tab, page))
}

// readChannel reads the page by the channel's calls and reports whether its order was among the words.
func (l *lane) readChannel(page Page) (found bool, answers []string) {
	l.Helper()
	for _, call := range page.Channel.Read {
		r := l.call(call, page.Number)
		answers = append(answers, r.texts...)
		for _, text := range r.texts {
			for _, n := range tokens(text) {
				found = found || n == page.Number
			}
		}
	}
	last := page.Channel.Read[len(page.Channel.Read)-1]
	if page.Channel.Under == "" && !strings.HasPrefix(last, "resource") {
		l.judgeSocket(last, page.Number)
	}
	return found, answers
}

// obey does what the page has ordered, and judges what came of it.
func (l *lane) obey(page Page) {
	l.Helper()
	o, red, words, answers := page.Order, 0, false, []string{}
	l.awaitBank(page.Number)
	if o.Word == clipWord {
		l.copyByHand()
	}
	if o.Raw {
		l.setRules(page.Number)
	}
	for _, call := range o.Calls {
		r := l.call(call, page.Number)
		answers = append(answers, r.texts...)
		red = max(red, r.red)
		words = words || o.Word != "" && strings.Contains(strings.Join(r.texts, " "), word(o.Word, l.policy))
	}
	if !o.allowed(l.policy) {
		l.count.denied++
		l.ending = append(l.ending, func() {
			if l.happened(page) || words || red > 0 {
				l.count.passed++
				l.Errorf("page %d, %s: the policy %s denies it, and it was done (words %t, red %d)", page.Number, o.Name, l.policy, words, red)
			}
		})
		return
	}
	l.count.executed++
	switch {
	case o.Word != "" && o.Word != clipWord && !words, o.Red && red == 0:
		l.Errorf("page %d, %s: the policy %s allows it, and it was not done: %.1500s", page.Number, o.Name, l.policy, strings.Join(answers, "\n"))
	case slices.ContainsFunc(answers, func(text string) bool { return strings.Contains(text, `"reason":"not_seen"`) }):
		// The browser gives a press to nobody while it turns to another tab, and the answer says so.
		l.count.executed, l.count.unseen = l.count.executed-1, l.count.unseen+1
	case o.Mark != "":
		for end := time.Now().Add(harness.Patience); !l.happened(page); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				l.Errorf("page %d, %s: the policy %s allows it, and it was not done: %.1500s", page.Number, o.Name, l.policy, strings.Join(answers, "\n"))
				return
			}
		}
	}
}

// happened reports whether a server, or the disk, has seen what the page ordered.
func (l *lane) happened(page Page) bool {
	o := page.Order
	if o.Left != "" {
		found, err := filepath.Glob(filepath.Join(l.profile.Dir, "storage", "scopes", "private", "sites", "*", l.place.fill(o.Left, page.Number)))
		return err != nil || len(found) > 0
	}
	name, path, ok := strings.Cut(l.place.fill(o.Mark, page.Number), " ")
	return ok && l.servers[name].was(path)
}

// end judges what must not have happened, after all else has.
func (l *lane) end() {
	l.Helper()
	for _, judge := range l.ending {
		judge()
	}
	if text, err := os.ReadFile(l.profile.policyPath); err != nil || string(text) != l.profile.policyFile {
		l.Errorf("the policy file says %q, %v", text, err)
	}
}

// awaitBank waits until the bank's frame is drawn: what an agent does not see of a frame that has
// not come, or does not press there, proves nothing.
func (l *lane) awaitBank(page int) {
	l.Helper()
	harness.Until(l, "the bank's frame is there", func() bool { return l.servers["bank"].was(fmt.Sprintf("/did/ready/%d", page)) })
}

// copyByHand puts a word on the clipboard as the user does, outside of every page.
func (l *lane) copyByHand() {
	l.Helper()
	harness.Eval[bool](l, l.profile.own, `(() => { addEventListener("copy", e => { e.preventDefault(); e.clipboardData.setData("text/plain", "`+word(clipWord, l.policy)+`") }, {once: true}); return document.execCommand("copy") })()`)
}

// callAs makes a call over the socket for another session than the agent's.
func (l *lane) callAs(session control.SessionParams, tab int, name, args string) (e dispatch.Envelope) {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), harness.Patience)
	defer cancel()
	arguments, err := json.Marshal(l.reported(name, args))
	if err != nil {
		l.Fatal(err)
	}
	params := control.CallParams{Session: session, Name: name, Arguments: arguments, Target: control.TargetParams{TabID: tab}}
	if err := l.socket.Call(ctx, control.MethodCall, params, &e); err != nil {
		l.Fatalf("%s: %v", name, err)
	}
	return e
}

func jsonText(v map[string]any) (string, error) {
	if v == nil {
		return "{}", nil
	}
	raw, err := json.Marshal(v)
	return string(raw), err
}
