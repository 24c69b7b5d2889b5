package projection

import "slices"

// The names that the expressions of a projection see. [Projection.Run] and
// [Postcondition.Check] provide them.
var (
	StateNames         = []string{"records", "url", "title", "projection"}
	SummaryNames       = append(slices.Clip(StateNames), "state") // markers see the same
	PostconditionNames = []string{"state", "input", "before"}     // in the order of Facts as Check gives them
)
