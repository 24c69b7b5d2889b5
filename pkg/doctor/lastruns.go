package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/runhistory"
)

// maxActions bounds the actions that one message names.
const maxActions = 20

// lastRuns is how the stored actions fared. An action that fails is a warning: the chain holds.
func (e *examiner) lastRuns(c *control.Client, add func(Hop)) {
	var runs control.LastRuns
	// A host of an earlier version does not know.
	if err := c.Call(e.ctx, control.MethodLastRuns, control.Empty{}, &runs); err != nil || len(runs.Actions) == 0 {
		return
	}
	h := Hop{Name: HopActions, Status: OK}
	var texts []string
	for i, a := range runs.Actions {
		if a.Failing() {
			h.Status, h.Fix = Warning, "actions-host log dump --failed shows where they failed; actions-host check and actions-host test tell whether their maps still fit."
		}
		if i < maxActions {
			texts = append(texts, describe(a))
		}
	}
	if more := len(runs.Actions) - maxActions; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	h.Message = strings.Join(texts, "; ")
	add(h)
}

// describe returns how an action fared.
func describe(a runhistory.Fared) string {
	text := fmt.Sprintf("%s passed %d of its last %d runs", a.Name, a.Passed, a.Runs)
	if a.LastPassed != nil {
		text += fmt.Sprintf(", last %s, in %d ms", a.LastPassed.Format(time.RFC3339), a.MedianMS)
	}
	if a.Drift != "" {
		text += ", and no longer fits (" + string(a.Drift) + ")"
	}
	return text
}
