package projection

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/wI2L/jsondiff"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Budgets of a difference.
const (
	maxPatchBytes = 32_000
	maxDeltaBytes = 16_000
	// maxComparisons limits the alignment of arrays, which compares each element of
	// one with each of the other. Above it arrays are compared by position.
	maxComparisons = 4 << 20
)

// Changes is the difference of two states.
type Changes struct {
	// Patches are the operations of RFC 6902 that turn the previous state into the
	// current one: all, or none if they exceed the budget.
	Patches             json.RawMessage `json:"patches"`
	PatchesOmittedBytes int             `json:"patches_omitted_bytes,omitzero"`
	// Deltas are the same changes in terms of the page, the first ones within the budget.
	Deltas        []Delta `json:"semantic_deltas"`
	DeltasOmitted int     `json:"semantic_deltas_omitted,omitzero"`
}

// Diff returns the changes between two states. Text that is not a JSON value is
// invalid_input.
func Diff(previous, current json.RawMessage) (Changes, error) {
	var from, to any
	for _, d := range []struct {
		text json.RawMessage
		out  *any
	}{{previous, &from}, {current, &to}} {
		if err := json.Unmarshal(d.text, d.out); err != nil {
			return Changes{}, fault.Wrap(err, fault.InvalidInput, "not a state: %v", err)
		}
	}
	patches, err := patch(from, to)
	if err != nil {
		return Changes{}, err
	}
	c := Changes{Patches: patches, Deltas: deltas(from, to)}
	if len(c.Patches) > maxPatchBytes {
		// Replacing a state that changed completely is shorter.
		c.Patches = json.RawMessage(`[{"op":"replace","path":"","value":` + string(current) + `}]`)
	}
	if len(c.Patches) > maxPatchBytes {
		c.PatchesOmittedBytes, c.Patches = min(len(c.Patches), len(patches)), json.RawMessage("[]")
	}
	size := 0
	for i, delta := range c.Deltas {
		if size += len(encode(delta)) + 1; size > maxDeltaBytes {
			c.DeltasOmitted, c.Deltas = len(c.Deltas)-i, c.Deltas[:i]
			break
		}
	}
	return c, nil
}

// patch returns the operations as one JSON array.
func patch(from, to any) (json.RawMessage, error) {
	var options []jsondiff.Option
	elements, _ := arrays(from)
	if _, longest := arrays(to); elements*longest <= maxComparisons {
		options = append(options, jsondiff.LCS())
	}
	operations, err := jsondiff.CompareWithoutMarshal(from, to, options...)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the states cannot be compared: %v", err)
	}
	if len(operations) == 0 {
		return json.RawMessage("[]"), nil
	}
	text, err := json.Marshal(operations)
	if err == nil {
		// The library escapes <, > and & as for HTML; six bytes each are too many.
		text, err = strictjson.Canonical(text, strictjson.Limits{MaxDepth: maxDepth})
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the patches cannot be written: %v", err)
	}
	return text, nil
}

// maxDepth is the deepest nesting that encoding/json decodes, so the limit of Diff.
const maxDepth = 10_100

// arrays returns the number of elements of all arrays in the value, and of the longest.
func arrays(v any) (elements, longest int) {
	var inner []any
	switch v := v.(type) {
	case []any:
		elements, longest, inner = len(v), len(v), v
	case map[string]any:
		inner = slices.Collect(maps.Values(v))
	}
	for _, child := range inner {
		e, l := arrays(child)
		elements, longest = elements+e, max(longest, l)
	}
	return elements, longest
}

// Difference is the result of mode state_diff.
type Difference struct {
	Projection string `json:"projection"`
	// Baseline is "initialized" without a previous state, when there are no changes,
	// else "previous_snapshot".
	Baseline    string `json:"baseline"`
	PatchFormat string `json:"patch_format"` // always "json_patch"
	Changes
	PreviousStateHash string      `json:"previous_state_hash,omitempty"`
	StateHash         string      `json:"state_hash"`
	ObservedAt        time.Time   `json:"observed_at"`
	Diagnostics       Diagnostics `json:"diagnostics"`
}

// Since compares the reading with the state of an earlier one; nil means that
// there is none. A reading without the whole state is
// state_diff_requires_full_state.
func (r Reading) Since(ctx context.Context, previous json.RawMessage) (Difference, error) {
	if r.State == nil {
		return Difference{}, fault.New(fault.StateDiffRequiresFullState, "the reading of %q holds no whole state", r.Projection).
			With("projection", r.Projection)
	}
	d := Difference{Projection: r.Projection, Baseline: "initialized", PatchFormat: "json_patch", StateHash: r.StateHash,
		ObservedAt: r.ObservedAt, Diagnostics: r.Diagnostics, Changes: Changes{Patches: json.RawMessage("[]"), Deltas: []Delta{}}}
	if previous == nil {
		return d, nil
	}
	if err := large.enter(ctx, len(previous)); err != nil {
		return Difference{}, err
	}
	defer large.leave(len(previous))
	hash, err := Hash(previous)
	if err != nil {
		return Difference{}, err
	}
	d.Baseline, d.PreviousStateHash = "previous_snapshot", hash
	if hash != r.StateHash {
		d.Changes, err = Diff(previous, r.State)
	}
	return d, err
}
