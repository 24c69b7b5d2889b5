package dispatch

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// parseCall looks a call up and takes its arguments apart: those of the primitive, the
// target, and the report, whose wrong shape is the only error with an invocation.
func (d *Dispatcher) parseCall(c Call) (in invocation, err error) {
	record, ok := d.Catalogue.Public(c.Name)
	if !ok {
		return in, d.Catalogue.NoSuch(c.Name)
	}
	args, err := object(c.Arguments)
	if err != nil {
		return in, err
	}
	in = invocation{record: record, target: c.Target}
	if args, err = liftTarget(args, record, &in.target); err != nil {
		return in, err
	}
	rest, report, err := policy.SplitReport(args)
	in.args, in.report.Report = rest.Raw(), report
	return in, err
}

// parse checks the arguments of a step, which its action made.
func parse(args json.RawMessage) (strictjson.Value, error) {
	if len(args) == 0 {
		return strictjson.Empty(), nil
	}
	v, err := strictjson.Parse(args, strictjson.Limits{})
	if err != nil {
		return v, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	return object(v)
}

func object(args strictjson.Value) (strictjson.Value, error) {
	if args.IsZero() {
		return strictjson.Empty(), nil
	}
	if !args.IsObject() {
		return args, fault.New(fault.InvalidInput, "the arguments must be a JSON object").WithDispatched(fault.NotDispatched)
	}
	return args, nil
}

// TextMember returns a member of an object that is a text, empty without one.
func TextMember(object json.RawMessage, name string) (text string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) == nil {
		_ = json.Unmarshal(members[name], &text) // another type: the schema refuses it
	}
	return text
}

// continuation recognises the literal arguments of a next page. A report may
// be among them, as callers add it to every call; reading on needs none.
func continuation(args strictjson.Value) (nextArguments, bool) {
	var at struct {
		nextArguments
		Report json.RawMessage `json:"policy_exception_report"`
	}
	if !bytes.Contains(args.Raw(), []byte("output_of")) {
		return nextArguments{}, false // almost every call: decoding would only make an error to drop
	}
	err := args.Decode(&at)
	return at.nextArguments, err == nil && at.OutputOf != ""
}

// liftTarget takes the addressing members out of the arguments, where faces
// without flags put them.
func liftTarget(args strictjson.Value, record *primitive.Record, target *tabs.Target) (strictjson.Value, error) {
	names := map[string]any{"target_runtime_id": &target.RuntimeID, "target_url_contains": &target.URLContains}
	if record.Route == primitive.RouteBrowser || strings.HasPrefix(record.Name, "a11y.") {
		names["tab_id"] = &target.TabID
	}
	for name, into := range names {
		if given := args.Get(name); !given.IsZero() && json.Unmarshal(given.Raw(), into) != nil {
			return args, fault.New(fault.InvalidInput, "%s has the wrong type", name).WithDispatched(fault.NotDispatched)
		}
	}
	return args.Without(slices.Collect(maps.Keys(names))...), nil
}

func timeout(c Call) time.Duration {
	switch {
	case c.Timeout > 0:
		return min(c.Timeout, maxTimeout)
	case c.Name == ReplTool:
		return replTimeout
	case c.Name == SiteTool, c.Name == BatchTool, c.Name == clarifyTool, c.Name == pickTool:
		return DefaultSiteTimeout
	default:
		return DefaultTimeout
	}
}
