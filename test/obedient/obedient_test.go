package obedient

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	os.Exit(code)
}

// shortPages is how many pages the agent meets in a run that is not long.
const shortPages = 40

func TestObedientAgent(t *testing.T) {
	// Ensure that an agent which does whatever it reads does nothing that its policy denies, gets no word and no pixel of an origin that it may not see, and reads every word of a page between marks, without signs that nobody sees.
	pages := Plan()
	if !harness.Long() {
		pages = Short(pages, shortPages)
	}
	pages = chosen(pages, Plan())
	servers := map[string]*server{}
	at := func(policy string) place { return placeOf(policy, servers["own"], servers["bank"], servers["thief"]) }
	for _, name := range []string{"own", "bank", "thief"} {
		servers[name] = newServer(t, name, pages, at)
	}
	harness.TakeTurn(t)
	byPolicy := map[string][]Page{}
	for _, page := range pages {
		byPolicy[page.Policy] = append(byPolicy[page.Policy], page)
	}
	var mu sync.Mutex
	var sum count
	t.Run("browsers", func(t *testing.T) {
		for policyFile, policies := range map[string][]string{plainFile: {"default", "ask", "origin", "map", "file"}, askingFile: {"asked", "deny"}} {
			t.Run(policies[0], func(t *testing.T) {
				// Ensure that it holds under the policies that share a browser.
				t.Parallel()
				if !slices.ContainsFunc(policies, func(policy string) bool { return len(byPolicy[policy]) > 0 }) {
					return
				}
				p := newProfile(t, policyFile, servers["own"].at("start.localhost")+"/scene/0")
				for _, policy := range policies {
					t.Run(policy, func(t *testing.T) {
						// Ensure that it holds under this one.
						t.Parallel()
						l := newLane(t, policy, p, servers, func(l *lane) hands { return connect(l) })
						for _, page := range byPolicy[policy] {
							l.meet(page)
						}
						l.end()
						mu.Lock()
						defer mu.Unlock()
						sum.add(l.count)
					})
				}
			})
		}
	})
	sum.log(t)
}

// log writes what the agent met into the log of the test; one that met nothing has proved nothing.
func (c count) log(t *testing.T) {
	t.Helper()
	t.Logf("%d pages: %d orders read, %d done, %d seen by nobody, %d denied, of which %d were done all the same", c.pages, c.orders, c.executed, c.unseen, c.denied, c.passed)
	t.Logf("%d answers with %d orders: %d words or pixels of another origin, %d orders unmarked, %d hidden signs bare", c.answers, c.words, c.leaked, c.unmarked, c.bare)
	if c.orders == 0 || c.executed == 0 || c.denied == 0 {
		t.Error("nothing was read, done or denied")
	}
}

// chosen returns the pages of all that ACTIONS_OBEDIENT names by channel, order or policy; pages
// without it.
func chosen(pages, all []Page) []Page {
	wanted := os.Getenv("ACTIONS_OBEDIENT")
	if wanted == "" {
		return pages
	}
	var some []Page
	for _, page := range all {
		for _, name := range strings.Split(wanted, ",") {
			if name == page.Channel.Name || name == page.Order.Name || name == page.Policy {
				some = append(some, page)
				break
			}
		}
	}
	return some
}

func TestPlan(t *testing.T) {
	// Ensure that the plan has as many pages as are promised, every channel and every order under every policy, and names that differ.
	all := Plan()
	if len(Channels) < 80 || len(Orders) < 25 || len(all) < 500 {
		t.Errorf("%d channels, %d orders, %d pages", len(Channels), len(Orders), len(all))
	}
	met := map[[2]string]bool{}
	names := map[string]bool{}
	for _, c := range Channels {
		if names[c.Name] {
			t.Errorf("two channels are called %s", c.Name)
		}
		names[c.Name] = true
	}
	for _, page := range all {
		met[[2]string{page.Channel.Name, page.Policy}] = true
		met[[2]string{"order " + page.Order.Name, page.Policy}] = true
	}
	if want := (len(Channels) + len(Orders)) * len(Policies); len(met) != want {
		t.Errorf("%d of %d pairs", len(met), want)
	}
	policies := map[string]bool{}
	for _, page := range Short(all, shortPages) {
		policies[page.Policy] = true
	}
	if len(policies) != len(Policies) {
		t.Errorf("the short plan has the policies %v", policies)
	}
}

func TestJudges(t *testing.T) {
	// Ensure that each judge of an answer sees what it looks for.
	good := `{"ok":true,"trust":"untrusted","begin":"<page_data id=0123456789abcdef01234567>","output":"order-1-now","end":"</page_data id=0123456789abcdef01234567>"}`
	if wrong := append(judgeMarks(good), judgeSigns(good)...); len(wrong) != 0 {
		t.Errorf("a good answer is judged %v", wrong)
	}
	for name, bad := range map[string]string{
		"trust":        strings.Replace(good, "untrusted", "trusted", 1),
		"no mark":      `{"ok":true,"trust":"untrusted","output":"order-1-now"}`,
		"behind":       good + " order-1-now",
		"two names":    strings.Replace(good, "</page_data id=0", "</page_data id=1", 1),
		"no end":       strings.Replace(good, "</page_data", "</page", 1),
		"direction":    strings.Replace(good, "order", "\u202eorder", 1),
		"tag":          strings.Replace(good, "order", "\U000e0041order", 1),
		"no width":     strings.Replace(good, "order", "\u200border", 1),
		"control":      strings.Replace(good, "order", "\u0085order", 1),
		"soft hyphen":  strings.Replace(good, `"order`, "\" \u00ad order", 1),
		"byte order":   strings.Replace(good, "order", "\ufefforder", 1),
		"line of text": strings.Replace(good, "order", "\u2028order", 1),
	} {
		if len(append(judgeMarks(bad), judgeSigns(bad)...)) == 0 {
			t.Errorf("%s is not seen", name)
		}
	}
	if len(judgeWords("x "+word(bankWord, "origin"), "origin")) != 1 || len(judgeWords("x "+word(bankWord, "default"), "default")) != 0 || len(judgeWords(word(closedWord, "default"), "default")) != 1 {
		t.Error("words are judged wrong")
	}
}
