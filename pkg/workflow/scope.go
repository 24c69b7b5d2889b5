package workflow

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// scope builds the context of expressions: {input, steps, item, index}. Results are
// decoded once and shared by every context built from them.
type scope struct {
	input   expr.Value
	results []expr.Member // in the order of the steps
	group   *frame        // nil outside of a group
}

// frame is the item that a group runs for.
type frame struct {
	item  expr.Value
	index int
	first int // index of the first result that belongs to the item
}

// enter begins an item of a group. Until leave is called, item and index are in every
// context; the results of the group's steps end with the item.
func (s *scope) enter(item expr.Value, index int) (leave func()) {
	s.group = &frame{item, index, len(s.results)}
	return func() { s.results, s.group = s.results[:s.group.first], nil }
}

// inGroup returns the results of the present item's steps.
func (s *scope) inGroup() expr.Value {
	return expr.Object(expr.Member{Name: "steps", Value: expr.Object(s.results[s.group.first:]...)})
}

// index returns the index of the item that a group runs for, 0 outside of one.
func (s *scope) index() int {
	if s.group == nil {
		return 0
	}
	return s.group.index
}

// start sets the caller's input. Anything but an object becomes {}.
func (s *scope) start(input json.RawMessage) error {
	s.input = expr.Object()
	if len(input) == 0 {
		return nil
	}
	value, err := expr.Decode(input)
	if err != nil {
		return fault.Wrap(err, fault.InvalidInput, "the input is not JSON: %v", err)
	}
	if text := value.JSON(); len(text) > 0 && text[0] == '{' {
		s.input = value
	}
	return nil
}

// set stores a step's result; a retry stores one for each attempt, so that its
// condition can read it.
func (s *scope) set(id string, result expr.Value) {
	for i := range s.results {
		if s.results[i].Name == id {
			s.results[i].Value = result
			return
		}
	}
	s.results = append(s.results, expr.Member{Name: id, Value: result})
}

// root returns the context outside of loops, in a group that of its item.
func (s *scope) root() expr.Value {
	if s.group != nil {
		return s.at(s.group.item, s.group.index)
	}
	return s.context()
}

// attempt returns the context of one attempt of a retry: index counts the attempts, item
// is that of the group, if any.
func (s *scope) attempt(number int) expr.Value {
	if s.group != nil {
		return s.at(s.group.item, number)
	}
	return s.at(expr.Null(), number)
}

// at returns the context of one item.
func (s *scope) at(item expr.Value, index int) expr.Value {
	return s.context(expr.Member{Name: "item", Value: item}, expr.Member{Name: "index", Value: expr.Number(float64(index))})
}

// context builds a new value for each evaluation: it is a few shared members, and
// results change from step to step.
func (s *scope) context(more ...expr.Member) expr.Value {
	members := append([]expr.Member{{Name: "input", Value: s.input}, {Name: "steps", Value: s.steps()}}, more...)
	return expr.Object(members...)
}

func (s *scope) steps() expr.Value { return expr.Object(s.results...) }

// all returns the output of a workflow that declares none.
func (s *scope) all() expr.Value { return expr.Object(expr.Member{Name: "steps", Value: s.steps()}) }

// result returns the value of steps.<id> after a call.
func result(output expr.Value, failed *failure, more ...expr.Member) expr.Value {
	if failed != nil {
		return failedResult(failed.err, more...)
	}
	members := []expr.Member{{Name: "ok", Value: expr.Bool(true)}}
	if !output.IsUndefined() {
		members = append(members, expr.Member{Name: "output", Value: output})
	}
	return expr.Object(append(members, more...)...)
}

func failedResult(err *fault.Error, more ...expr.Member) expr.Value {
	members := []expr.Member{{Name: "ok", Value: expr.Bool(false)}, {Name: "error", Value: faultValue(err)}}
	return expr.Object(append(members, more...)...)
}

func skippedResult() expr.Value {
	return expr.Object(expr.Member{Name: "ok", Value: expr.Bool(true)}, expr.Member{Name: "skipped", Value: expr.Bool(true)})
}

// array returns a list of the values. expr has no constructor for one, so it is
// built from their JSON.
func array(values []expr.Value) expr.Value {
	text := []byte{'['}
	for i, v := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, v.JSON()...)
	}
	list, err := expr.Decode(append(text, ']'))
	if err != nil {
		return expr.Null()
	}
	return list
}

// faultValue returns an error as a value for expressions. Evidence that cannot be
// encoded is left out rather than losing the code.
func faultValue(err *fault.Error) expr.Value {
	text, marshalErr := json.Marshal(err)
	if marshalErr == nil {
		if value, decodeErr := expr.Decode(text); decodeErr == nil {
			return value
		}
	}
	return expr.Object(expr.Member{Name: "code", Value: expr.String(string(err.Code))},
		expr.Member{Name: "message", Value: expr.String(err.Message)})
}
