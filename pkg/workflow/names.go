package workflow

import "slices"

// StepSlot is a member of a step whose value may be, or hold, expressions.
type StepSlot struct {
	Member      string
	BeforeItems bool // is evaluated before the step runs at all
	AfterCall   bool // the step's own result is there too

	always []string // the names that it sees wherever it stands
	loop   []string // those that for_each adds
	retry  []string // those that retry_until adds
}

// StepSlots are the slots of a step.
var StepSlots = []StepSlot{
	{Member: "args", always: values, loop: element, retry: []string{"index"}},
	{Member: "assert", always: values, loop: element},
	{Member: "message", always: values, loop: element},
	{Member: "output", always: values, loop: element},
	{Member: "when", BeforeItems: true, always: values},
	{Member: "for_each", BeforeItems: true, always: values},
	{Member: "retry_until", AfterCall: true, always: values},
	{Member: "after_each", AfterCall: true, always: values, retry: []string{"index"}},
	{Member: "settle_after", AfterCall: true, always: values, loop: element},
}

// OutputNames are the names that the output of a workflow sees.
var OutputNames = values

var (
	values  = []string{"input", "steps"}
	element = []string{"item", "index"}
)

// Names returns what the slot sees in a step that loops or retries, or that belongs to a group.
func (s StepSlot) Names(loops, retries, inGroup bool) []string {
	names := slices.Clone(s.always)
	if loops {
		names = append(names, s.loop...)
	}
	if retries {
		names = append(names, s.retry...)
	}
	if inGroup {
		names = append(names, element...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
