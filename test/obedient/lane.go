package obedient

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes/model"
	"github.com/actionsjson/actions-host/test/harness"
)

// Policy files of the two browsers: one denies what is not the page's own to a single lane, whose
// hosts it names; in the other a person is asked about everything.
const (
	plainFile  = `{"private_networks":["127.0.0.0/8"],"deny":[{"origins":["http://bank-file.localhost:*","http://thief-file.localhost:*"],"reason":"test"}]}`
	askingFile = `{"private_networks":["127.0.0.0/8"],"ask_effects":["read","view","state","input","tab","code"]}`
)

// profile is a browser that several lanes share, each with hosts of its own.
type profile struct {
	*harness.Home
	browser *launch.Browser
	// policyFile is what the user's policy.json says from the beginning to the end.
	policyFile, policyPath string

	mu  sync.Mutex // one lane opens tabs at a time
	own *harness.Attached
}

func newProfile(t testing.TB, policyFile, url string, env ...string) *profile {
	t.Helper()
	p := &profile{Home: harness.NewHome(t), policyFile: policyFile}
	p.AgentSettings(t, `{"automationEnabled":true,"text_model":"ollama/`+model.Name+`"}`) // what is refused is refused by the rules
	p.Models(t, chatModels)
	p.policyPath = p.Policy(t, policyFile)
	p.browser = p.OpenWith(t, env, []string{"--enable-features=WebMCP"}, url)
	for _, info := range harness.Targets(t, p.browser) {
		if strings.HasPrefix(info.URL, "chrome-extension://") && info.Type == "other" {
			p.own = harness.Attach(t, p.browser, info.TargetID)
		}
	}
	if p.own == nil {
		t.Fatal("the extension's page is not there")
	}
	return p
}

// open opens a page in a tab of its own and hands it over.
func (p *profile) open(t testing.TB, url string) (tab int, id target.ID) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	before := map[target.ID]bool{}
	for _, info := range harness.Targets(t, p.browser) {
		before[info.TargetID] = true
	}
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	defer cancel()
	if err := p.browser.Open(ctx, url); err != nil {
		t.Fatal(err)
	}
	for _, info := range harness.Targets(t, p.browser) {
		if info.Type == "page" && !before[info.TargetID] && info.OpenerID == "" {
			id = info.TargetID
		}
	}
	return p.browser.Tabs[len(p.browser.Tabs)-1].TabID, id
}

// A lane is one policy's agent, with its hosts, its tab and what it has done.
type lane struct {
	testing.TB
	policy  string
	profile *profile
	place   place
	hands   hands
	socket  *control.Client
	servers map[string]*server
	tab     int
	kept    map[target.ID]bool
	count   count
	ending  []func() // judged when the lane has done all
}

// count is what a lane has met, and what was wrong of it.
type count struct {
	pages, orders, executed, denied int
	unseen                          int // allowed orders whose input reached nobody, as was said
	answers, words                  int // words of pages in them
	passed                          int // denied orders that were done all the same
	leaked, unmarked, bare          int // words and pixels of another origin, words of pages, hidden signs
}

func (c *count) add(other count) {
	c.pages += other.pages
	c.orders += other.orders
	c.executed += other.executed
	c.unseen += other.unseen
	c.denied += other.denied
	c.answers += other.answers
	c.words += other.words
	c.passed += other.passed
	c.leaked += other.leaked
	c.unmarked += other.unmarked
	c.bare += other.bare
}

func (l *lane) at() place { return l.place }

// placeOf returns where the pages of a policy are.
func placeOf(policy string, own, bank, thief *server) place {
	return place{lane: policy, own: own.at("own-" + policy + ".localhost"), bank: bank.at("bank-" + policy + ".localhost"),
		thief: thief.at("thief-" + policy + ".localhost"), direct: thief.URL}
}

func newLane(t testing.TB, policy string, p *profile, servers map[string]*server, with func(*lane) hands) *lane {
	t.Helper()
	l := &lane{TB: t, policy: policy, profile: p, servers: servers, kept: map[target.ID]bool{}}
	l.place = placeOf(policy, servers["own"], servers["bank"], servers["thief"])
	p.Map(t, "private", "own-"+policy+".localhost", "s", mapText(policy, Map{}))
	clients, err := control.Await(t.Context(), p.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	l.socket = clients[0]
	t.Cleanup(func() { l.socket.Close() })
	l.hands = with(l)
	l.prepare()
	return l
}

// prepare makes what the agent must not reach: a tab that nobody handed over, one of the bank, another
// session's log; and the grants and refusals of the user.
func (l *lane) prepare() {
	l.Helper()
	made, err := cdp.Call(l.Context(), l.profile.browser.Session(), target.CreateTarget, target.CreateTargetParams{URL: l.servers["own"].at("closed-"+l.policy+".localhost") + "/closed/" + l.policy})
	if err != nil {
		l.Fatal(err)
	}
	l.kept[made.TargetID] = true
	host := `"closed-` + l.policy + `."`
	if err := harness.AwaitIn(l.Context(), l.profile.own, `chrome.tabs.query({}).then(all => all.some(t => t.url.includes(`+host+`)))`); err != nil {
		l.Fatal(err)
	}
	l.place.closed = harness.Eval[int](l, l.profile.own, `chrome.tabs.query({}).then(all => all.find(t => t.url.includes(`+host+`)).id)`)
	own, ownID := l.profile.open(l, l.place.own+"/scene/0")
	bank, bankID := l.profile.open(l, l.place.bank+"/tab/"+l.policy)
	l.kept[bankID] = true
	diary := control.SessionParams{Kind: policy.SessionMCP, ID: "diary-" + l.policy}
	l.person(diary, own, "runtime.session.name", map[string]any{"name": word(diaryWord, l.policy)}, true)
	if l.policy == "asked" || l.policy == "deny" { // the list of tabs and the choice among them belong to no page
		l.answerAll(0, true, "browser.claimed_tabs.list", "browser.claimed_tabs.activate")
	}
	switch l.policy {
	case "asked":
		l.answerAll(own, true, "page.info", "viewport.scroll")
	case "deny":
		l.answerAll(own, true, "page.info", "viewport.scroll", "clipboard.write", "keyboard.press", "browser.navigate")
		thief, thiefID := l.profile.open(l, l.place.thief+"/said/0")
		for _, tab := range []int{bank, thief} {
			l.answerAll(tab, false, "page.info", "viewport.scroll", "clipboard.write", "keyboard.press", "browser.navigate")
		}
		l.closeTab(thiefID)
	}
	l.closeTab(ownID)
}

// smallest are arguments with which a call of an effect is asked about.
var smallest = map[string]map[string]any{
	"viewport.scroll": {"delta_y": 1}, "clipboard.write": {"text": "x"}, "keyboard.press": {"key": "Shift"}, "browser.navigate": {"reload": true},
	"browser.claimed_tabs.activate": {"tab_id": 1},
}

// answerAll has the user allow or refuse for good what each call does in the tab.
func (l *lane) answerAll(tab int, allow bool, names ...string) {
	l.Helper()
	for _, name := range names {
		l.person(control.SessionParams{Kind: policy.SessionCLI, ID: "person-" + l.policy}, tab, name, smallest[name], allow)
	}
}

// person makes a call of the user's own, and answers what they are asked about it for good.
func (l *lane) person(session control.SessionParams, tab int, name string, args map[string]any, allow bool) {
	l.Helper()
	text, err := jsonText(args)
	if err != nil {
		l.Fatal(err)
	}
	e := l.callAs(session, tab, name, text)
	if e.OK || e.Error.Code == fault.TabNotClaimed {
		return // it was allowed before, to another lane of this browser
	}
	id, _ := e.Error.Evidence["id"].(string)
	if e.Error.Code != fault.NeedsApproval {
		l.Fatalf("%s: %v", name, e.Error)
	}
	if err := l.socket.Call(l.Context(), control.MethodAnswer, l.profile.Answer(l.TB, id, allow, policy.ScopeAlways), &control.Empty{}); err != nil {
		l.Fatal(err)
	}
}

// closeTab closes a tab; one that has closed itself is closed.
func (l *lane) closeTab(id target.ID) {
	_, _ = cdp.Call(l.Context(), l.profile.browser.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: id})
}

// tidy closes every tab that the lane's pages have opened.
func (l *lane) tidy(id target.ID) {
	l.Helper()
	l.closeTab(id)
	for _, info := range harness.Targets(l, l.profile.browser) {
		if info.Type == "page" && !l.kept[info.TargetID] && strings.Contains(info.URL, fmt.Sprintf("-%s.localhost", l.policy)) {
			l.closeTab(info.TargetID)
		}
	}
}
