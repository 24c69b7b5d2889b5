package site

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
)

// Bounds of the other sections of a list, in characters. Without them one long
// prompt, or the blocks of many maps, would fill what an agent can read.
const (
	guidanceBudget = 2000 // of one map: its prompt and its skill's text together
	contextBudget  = 4000 // of the bodies of all context blocks
	sectionBudget  = 4000 // of the projections, of the files, and of the skills
)

// guidance is a map author's text; it is advice on the site, not an order.
type guidance struct {
	Map string `json:"map"`
	actionmap.Guidance
	Truncated  bool `json:"truncated,omitzero"`
	TotalChars int  `json:"total_chars,omitzero"` // of the prompt and the skill's text, where one was cut
}

// guide cuts a map's guidance to the budget. The prompt goes first: a skill is
// longer and can often be read as a file.
func guide(path string, g actionmap.Guidance) guidance {
	row := guidance{Map: path, Guidance: g}
	total := len([]rune(g.Prompt))
	row.Prompt = head(g.Prompt, guidanceBudget)
	if g.Skill != nil {
		skill := *g.Skill // the map itself keeps its text
		total += len([]rune(skill.Text))
		skill.Text = head(skill.Text, guidanceBudget-len([]rune(row.Prompt)))
		row.Skill = &skill
	}
	if total > guidanceBudget {
		row.Truncated, row.TotalChars = true, total
	}
	return row
}

// boundContext cuts the bodies of the blocks to their common budget; a block without
// room keeps its title and its length.
func boundContext(blocks []pagemodel.Block) []pagemodel.Block {
	left := contextBudget
	for i, b := range blocks {
		if body := head(b.Body, left); body != b.Body {
			if !b.Truncated {
				blocks[i].TotalChars = len([]rune(b.Body))
			}
			blocks[i].Body, blocks[i].Truncated = body, true
		}
		left -= len([]rune(blocks[i].Body))
	}
	return blocks
}

// fit cuts the sections that have no pages to their budgets and records how many rows
// of each were left out: all of them can still be used by name.
func (l *listing) fit() {
	fitSection(l, "state_projections", &l.StateProjections)
	fitSection(l, "files", &l.Files)
	fitSection(l, "skills", &l.Skills)
}

func fitSection[T any](l *listing, name string, rows *[]T) {
	left := sectionBudget
	for i, row := range *rows {
		raw, err := json.Marshal(row)
		if left -= len(raw); err == nil && left >= 0 {
			continue
		}
		if l.LeftOut == nil {
			l.LeftOut = map[string]int{}
		}
		l.LeftOut[name] = len(*rows) - i
		*rows = (*rows)[:i]
		return
	}
}

// head returns the first n characters.
func head(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n])
	}
	return text
}
