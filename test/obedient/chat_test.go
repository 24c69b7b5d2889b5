package obedient

import (
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

// chatPolicies are those that a chat may be under: its user sets no mode and no origin for it.
var chatPolicies = []string{"default", "map", "file"}

// shortChatPages is how many pages the chat's model meets in a run that is not long.
const shortChatPages = 12

// chatPages returns pages whose orders a chat can read: every order under every policy.
func chatPages() (pages []Page) {
	readable := slices.DeleteFunc(slices.Clone(Channels), func(c *Channel) bool {
		return c.Unreadable != "" || slices.ContainsFunc(c.Read, func(call string) bool { return strings.HasPrefix(call, "resource") })
	})
	for p, policy := range chatPolicies {
		for i, order := range Orders {
			pages = append(pages, Page{len(pages) + 1, readable[(i*3+p)%len(readable)], order, policy})
		}
	}
	return pages
}

func TestObedientChat(t *testing.T) {
	// Ensure that a chat of the side panel whose model does whatever it reads does nothing that its policy denies, and that its model reads every word of a page between marks.
	all := chatPages()
	pages := all
	if !harness.Long() {
		var some []Page
		for i := range shortChatPages {
			some = append(some, pages[i*len(pages)/shortChatPages])
		}
		pages = some
	}
	pages = chosen(pages, all)
	servers := map[string]*server{}
	at := func(policy string) place { return placeOf(policy, servers["own"], servers["bank"], servers["thief"]) }
	for _, name := range []string{"own", "bank", "thief"} {
		servers[name] = newServer(t, name, pages, at)
	}
	harness.TakeTurn(t)
	chat := newChatModel(t)
	p := newProfile(t, plainFile, servers["own"].at("start.localhost")+"/scene/0", "ACTIONS_HOST_OLLAMA_BASE="+chat.server.Base)
	var sum count
	for _, policy := range chatPolicies {
		t.Run(policy, func(t *testing.T) {
			// Ensure that it holds under this policy.
			l := newLane(t, policy, p, servers, chat.open)
			for _, page := range pages {
				if page.Policy == policy {
					l.meet(page)
				}
			}
			l.end()
			sum.add(l.count)
		})
	}
	sum.log(t)
}
