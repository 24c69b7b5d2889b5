package expr

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// What one evaluation may use.
const (
	maxString = 4 << 20  // bytes of one string
	maxNodes  = 250_000  // values inside one value, and elements of one array
	maxMemory = 24 << 20 // bytes by which the heap and the stacks may grow
	maxCopies = 1 << 21  // sum of the depths of all nodes that "**" visits

	// How many steps of the engine pass between two looks at the clock and the
	// memory: a step may copy the biggest collection there is. The last holds
	// once the evaluation has made a big collection itself.
	checkSeldom = 64
	checkEvery  = 16 // with a big input
	checkOften  = 4
	// bigBytes and bigNodes are the sizes from which one value is worth a look.
	bigBytes = 64 << 10
	bigNodes = bigBytes / 16
)

// meter is the context of one evaluation. The engine asks Err before every step,
// which makes it the place to stop an evaluation that uses too much. It belongs
// to the goroutine that evaluates.
type meter struct {
	context.Context
	steps int
	every int    // one of checkSeldom, checkEvery and checkOften
	base  uint64 // memory in use when the evaluation began
	over  error  // set once, when a limit is passed
}

func newMeter(ctx context.Context, inputBytes int) *meter {
	m := &meter{Context: ctx, every: checkSeldom, base: memoryInUse()}
	if inputBytes > bigBytes {
		m.every = checkEvery
	}
	return m
}

// Err is not nil when the evaluation must end.
func (m *meter) Err() error {
	m.steps++
	if m.over == nil && m.steps%m.every != 0 {
		return nil
	}
	return m.check()
}

// check looks at the clock and at the memory.
func (m *meter) check() error {
	if m.over != nil {
		return m.over
	}
	if err := m.Context.Err(); err != nil {
		m.over = err
		return err
	}
	if memoryInUse() <= m.base+maxMemory {
		return nil
	}
	// Part of the growth may be garbage, even of somebody else: what counts
	// is what is left after a collection.
	runtime.GC()
	if memoryInUse() > m.base+maxMemory {
		m.over = tooLarge("the expression uses more than %d MB of memory", maxMemory>>20)
	}
	return m.over
}

// reserve is asked before bytes are allocated at once.
func (m *meter) reserve(bytes int) error {
	if bytes < bigBytes {
		return nil
	}
	return m.check()
}

// reserveString is asked before a string of n bytes is made.
func (m *meter) reserveString(n int) error {
	if n > maxString {
		return tooLarge("a string of %d bytes is longer than the limit of %d", n, maxString)
	}
	return m.reserve(n)
}

// reserveItems is asked before an array of n elements is made.
func (m *meter) reserveItems(n int) error {
	if n > maxNodes {
		return tooLarge("an array of %d elements is longer than the limit of %d", n, maxNodes)
	}
	if n > bigNodes {
		m.every = checkOften
	}
	return m.reserve(16 * n)
}

func tooLarge(format string, args ...any) error {
	return fault.New(fault.ExpressionEvaluationFailed, "%s", fmt.Sprintf(format, args...))
}

// memoryInUse is the size of the heap's objects and of the stacks, in bytes.
func memoryInUse() uint64 {
	samples := [2]metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(samples[:])
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}
