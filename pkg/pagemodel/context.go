package pagemodel

import (
	"context"
	"slices"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// Budgets of context, in characters.
const (
	MaxBlockChars   = 4_000
	MaxContextChars = 12_000
)

// contextBlock is a declared block and when it belongs into a listing.
type contextBlock struct {
	Block
	states      []string
	urlContains []string
	urlMatches  []string
	targets     []Target
}

// Block is a text for an agent about this moment on the page.
type Block struct {
	ID             string   `json:"id"`
	Title          string   `json:"title,omitempty"`
	Body           string   `json:"body"`
	AvailableTools []string `json:"available_tools,omitempty"`
	NextStates     []string `json:"next_states,omitempty"`
	Truncated      bool     `json:"truncated,omitempty"`
	TotalChars     int      `json:"total_chars,omitempty"` // of the body, where it was cut
}

func (s *Model) readContexts(p jsonnode.Node) {
	for _, o := range s.section(p, "id") {
		when := o.Get("load_when").Object()
		b := contextBlock{
			Block: Block{
				ID: o.Get("id").Text(), Title: o.Get("title").Text(), Body: prose(o.Get("body")),
				AvailableTools: o.Get("available_tools").Names(), NextStates: o.Get("next_states").Names(),
			},
			states: when.Get("states").Texts(), urlContains: when.Get("url_contains").Texts(), urlMatches: when.Get("url_matches").Texts(),
		}
		for _, e := range when.Get("targets").Elements() {
			if t, ok := readTarget(e); ok {
				b.targets = append(b.targets, t)
			}
		}
		if b.Body == "" {
			s.problem(o.Get("body"), "a context block without a body says nothing")
			continue
		}
		s.contexts = append(s.contexts, b)
	}
}

// Context chooses the blocks that fit the page. Of each kind in load_when one
// entry must match: a state, a substring or a pattern of the URL, a target that is
// shown. An unknown state does not exclude a block: superfluous advice does less
// harm than missing advice. Bodies are cut at the budgets and marked as truncated.
func (s *Model) Context(ctx context.Context, url string, states []StateResult, read Read) []Block {
	l := newPageReader(read)
	var candidates []contextBlock
	var targets []Target
	for _, b := range s.contexts {
		if matchesURL(b.urlContains, b.urlMatches, url) && b.inState(states) {
			candidates = append(candidates, b)
			targets = append(targets, b.targets...)
		}
	}
	l.prefetch(ctx, targets)
	blocks := []Block{}
	left := MaxContextChars
	for _, b := range candidates {
		if !l.anyShown(ctx, b.targets) {
			continue
		}
		block := b.Block
		body := []rune(block.Body)
		if limit := min(left, MaxBlockChars); len(body) > limit {
			block.Body, block.Truncated, block.TotalChars = cutBody(body, limit), true, len(body)
		}
		left -= len([]rune(block.Body))
		blocks = append(blocks, block)
	}
	return blocks
}

// cutBody cuts to the limit, which may be 0.
func cutBody(body []rune, limit int) string {
	if limit == 0 {
		return ""
	}
	return truncate.Characters(string(body), limit)
}

// inState reports whether one of the states holds or may hold.
func (b contextBlock) inState(states []StateResult) bool {
	return len(b.states) == 0 || slices.ContainsFunc(b.states, func(name string) bool { return stateVerdict(states, name) != Fails })
}

func (l *pageReader) anyShown(ctx context.Context, targets []Target) bool {
	if len(targets) == 0 {
		return true
	}
	for _, t := range targets {
		if e, err := l.target(ctx, t); err != nil || e.Visible {
			return true
		}
	}
	return false
}
