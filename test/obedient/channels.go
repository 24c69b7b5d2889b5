// Package obedient drives an agent that does whatever it reads: it needs no model, and so proves
// what holds when one is deceived.
//
// Rules of this package:
//   - A page says its order by one channel: a way by which words of a page reach an agent. A channel
//     whose order no call gives is named as unreadable, with the reason; one that should be readable
//     and is not fails, so that the test cannot go blind.
//   - The agent is a client of MCP, and a program at the socket; or it is the model of a chat in the
//     side panel, and of POST /v1/agent. It does each order that it finds.
//   - A page is met under a policy, which denies some orders. What is denied is judged by the servers
//     of the pages, by words that only one place has, by pixels and by the disk; what is allowed must
//     have been done.
//   - Every answer is judged: page text is called untrusted and stands between marks, and no sign that
//     a person does not see stands bare.
//   - ACTIONS_OBEDIENT chooses pages by the names of channels, orders and policies, with commas.
package obedient

import (
	"slices"
	"strings"
)

// A Channel is one way by which words of a page can reach an agent.
type Channel struct {
	Name string
	HTML string   // what the page has of it, with placeholders
	Read []string // the calls by which an agent comes to read it, each a name and its arguments
	// Under names the policies under which nobody can read it, because reading takes a call that is
	// refused there. Under all others the order must have been read.
	Under string
	// Query is added to the page's address.
	Query string
	// Served is the answer to the page's address instead of a scene; the agent reads it, and
	// the scene is opened for what it does then.
	Served Served
	// Leaves says that reading leads away from the scene, which is opened anew too.
	Leaves bool
	// Map is a map's text for the page's host, beside the actions that all have.
	Map Map
	// Unreadable is why no call gives an agent these words; Read then tries, and must not.
	Unreadable string
}

// Served is an answer of the page's server.
type Served struct {
	Status   int
	Kind     string
	Location string
	Body     string
}

// Map is what a map has of a channel, and a file beside it.
type Map struct{ Tools, Rest, File string }

// unread reports whether a policy keeps the agent from reading the channel.
func (c *Channel) unread(policy string) bool {
	return c.Unreadable != "" || slices.Contains(strings.Fields(c.Under), policy)
}

// Calls that many channels are read by.
const (
	snapshot = `page.snapshot {}`
	text     = `dom.snapshot_text {}`
	tree     = `a11y.tree {}`
	info     = `page.info {}`
)

// attribute is the call that reads an attribute of #c.
func attribute(name string) string {
	return `dom.observe.attributes {"selector":"#c","attributes":["` + name + `"]}`
}

// extract is the call that reads the text of #c, seen or not.
const extract = `browser.extract_elements {"item_selector":"#c","fields":[{"name":"t","attribute":"text"}],"visible_only":false}`

// Channels are all of them.
var Channels = slices.Concat(textChannels, attributeChannels, formChannels, frameChannels, eventChannels, networkChannels, hostChannels)
