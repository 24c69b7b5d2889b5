package expr

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Limits of every evaluation; [bounds] has those that grow.
const (
	maxString = 4 << 20 // bytes of one string
	maxCopies = 1 << 21 // sum of the depths of all nodes that "**" visits

	// Steps of the engine between two checks of the deadline and the memory: a step
	// may copy the biggest collection there is. The last applies once the evaluation
	// has made a big collection itself.
	checkSeldom = 64
	checkEvery  = 16 // with a big input
	checkOften  = 4
	// bigBytes and bigNodes are the sizes from which on a value triggers a check.
	bigBytes = 64 << 10
	bigNodes = bigBytes / 16
)

// meter is the context of one evaluation. The engine calls Err before every step,
// so it can stop an evaluation that uses too much. It belongs
// to the goroutine that evaluates.
type meter struct {
	context.Context
	bounds
	steps    int
	every    int    // one of checkSeldom, checkEvery and checkOften
	base     uint64 // memory in use when the evaluation began
	exceeded error  // set once, when a limit is exceeded
}

func newMeter(ctx context.Context, inputBytes int, lim bounds) *meter {
	m := &meter{Context: ctx, bounds: lim, every: checkSeldom, base: memoryInUse()}
	if inputBytes > bigBytes {
		m.every = checkEvery
	}
	return m
}

// Err returns an error when the evaluation must end.
func (m *meter) Err() error {
	m.steps++
	if m.exceeded == nil && m.steps%m.every != 0 {
		return nil
	}
	return m.check()
}

// check checks the deadline and the memory.
func (m *meter) check() error {
	if m.exceeded != nil {
		return m.exceeded
	}
	if err := m.Context.Err(); err != nil {
		m.exceeded = err
		return err
	}
	if memoryInUse() <= m.base+uint64(m.maxMemory) {
		return nil
	}
	// Part of the growth may be garbage, even of other goroutines: only the rest
	// after a collection counts.
	runtime.GC()
	if memoryInUse() > m.base+uint64(m.maxMemory) {
		m.exceeded = tooLarge("the expression uses more than %d MB of memory", m.maxMemory>>20)
	}
	return m.exceeded
}

// reserve is called before many bytes are allocated at once.
func (m *meter) reserve(bytes int) error {
	if bytes < bigBytes {
		return nil
	}
	return m.check()
}

// reserveString is called before a string of n bytes is made.
func (m *meter) reserveString(n int) error {
	if n > maxString {
		return tooLarge("a string of %d bytes is longer than the limit of %d", n, maxString)
	}
	return m.reserve(n)
}

// reserveItems is called before an array of n elements is made.
func (m *meter) reserveItems(n int) error {
	if n > m.maxNodes {
		return tooLarge("an array of %d elements is longer than the limit of %d", n, m.maxNodes)
	}
	if n > bigNodes {
		m.every = checkOften
	}
	return m.reserve(16 * n)
}

func tooLarge(format string, args ...any) error {
	return fault.Wrap(ErrLimit, fault.ExpressionEvaluationFailed, "%s", fmt.Sprintf(format, args...))
}

// memoryInUse returns the size of the heap's objects and of the stacks, in bytes.
func memoryInUse() uint64 {
	samples := [2]metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(samples[:])
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}
