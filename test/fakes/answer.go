package fakes

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// answers holds an output of each primitive that a fake page plays, as its
// output_schema wants it.
var answers = map[string]string{
	"page.info":            `{"url":"https://shop.example.com/","title":"Fake"}`,
	"dom.snapshot_text":    `{"text":"a page","truncated":false,"total_chars":6}`,
	"locator.text_content": `{"locator":{"selector":"body"},"text":"a page","visible":true}`,
	"locator.wait_for":     `{"matched":true,"state":"visible","elapsed_ms":1}`,
	"pointer.click": `{"clicked":true,"x":1,"y":2,"button":"left","modifiers":[],"focused":false,"target":{
		"tag_name":"button","id":"","class_name":"","role":null,"data_testid":null,"type":null,"text":"","disabled":false,"aria_disabled":false,
		"bounding_box":{"x":0,"y":0,"width":9,"height":9,"left":0,"top":0,"right":9,"bottom":9},"viewport":{"width":900,"height":900}}}`,
	"text.insert": `{"inserted":true,"inserted_length":1,"input_method":"native-setter","verified":true,"selected_text_length":0,
		"selection_sync":true,"tag_name":"input","sensitive":false}`,
}

// Answer returns an ordinary page's answer to a call.
func Answer(call protocol.ActionCall) (any, error) {
	text, ok := answers[call.Name]
	if !ok {
		return nil, fault.New(fault.CapabilityUnavailable, "the fake page cannot do %s", call.Name)
	}
	return json.RawMessage(text), nil
}
