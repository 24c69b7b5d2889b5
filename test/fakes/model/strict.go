package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// known reports what a maker's type loses of a request: a member that it does not know.
func known[T any](body []byte, without ...string) error {
	var whole map[string]any
	if err := json.Unmarshal(body, &whole); err != nil {
		return err
	}
	withoutSchemas(whole)
	for _, name := range without {
		delete(whole, name)
	}
	rest, err := json.Marshal(whole)
	if err != nil {
		return err
	}
	var params T
	if err := json.Unmarshal(rest, &params); err != nil {
		return err
	}
	again, err := json.Marshal(params)
	if err != nil {
		return err
	}
	var back map[string]any
	if err := json.Unmarshal(again, &back); err != nil {
		return err
	}
	return difference("", whole, back)
}

func difference(path string, a, b any) error {
	switch a := a.(type) {
	case map[string]any:
		other, ok := b.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is an object", path)
		}
		for name, value := range a {
			if _, ok := other[name]; !ok {
				return fmt.Errorf("%s.%s is not known", path, name)
			}
			if err := difference(path+"."+name, value, other[name]); err != nil {
				return err
			}
		}
	case []any:
		other, ok := b.([]any)
		if !ok || len(a) != len(other) {
			return fmt.Errorf("%s is an array of %d", path, len(a))
		}
		for i := range a {
			if err := difference(fmt.Sprintf("%s[%d]", path, i), a[i], other[i]); err != nil {
				return err
			}
		}
	default:
		if !reflect.DeepEqual(a, b) {
			return fmt.Errorf("%s is %v, not %v", path, a, b)
		}
	}
	return nil
}

// withoutSchemas takes the tools' schemas out of a request: they are the caller's, and the types
// keep only some of their members.
func withoutSchemas(request map[string]any) {
	tools, _ := request["tools"].([]any)
	for _, one := range tools {
		if tool, ok := one.(map[string]any); ok {
			if schema, ok := tool["input_schema"].(map[string]any); ok && schema["type"] == "object" {
				tool["input_schema"] = map[string]any{"type": "object"}
			}
		}
	}
}

// turn is what a conversation's item does to the open tool calls.
type turn struct {
	role    string // user or assistant; empty where it does not matter
	opens   []string
	answers []string
	other   bool // holds more than answers
}

// answered checks that every call is answered, once, before anything else comes.
func answered(turns []turn) error {
	var open []string
	for i, t := range turns {
		for _, id := range t.answers {
			at := slices.Index(open, id)
			if at < 0 {
				return fmt.Errorf("item %d answers the call %q, which is not open", i, id)
			}
			open = slices.Delete(open, at, at+1)
		}
		if t.other && len(open) > 0 {
			return fmt.Errorf("before item %d the calls %q have no result", i, open)
		}
		for _, id := range t.opens {
			if id == "" || slices.Contains(open, id) {
				return fmt.Errorf("item %d has a call without an id of its own", i)
			}
			open = append(open, id)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the calls %q have no result", open)
	}
	return nil
}

// object checks that the text is a JSON object.
func object(text string) error {
	text = string(bytes.TrimSpace([]byte(text)))
	if !json.Valid([]byte(text)) || text == "" || text[0] != '{' {
		return errors.New("the arguments of a call are no object")
	}
	return nil
}
