package mcpserver

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/coretools"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// reportMember is the argument with the reason for calling a primitive directly. The
// server's instructions explain it once for all tools.
const reportMember = "policy_exception_report"

// detailMember is the argument that requests the meta of the run.
const detailMember = coretools.DetailMember

// object is an object schema with its members in a fixed order.
type object struct {
	Type       string          `json:"type"`
	Properties json.RawMessage `json:"properties"`
	Required   []string        `json:"required,omitempty"`
	Closed     *bool           `json:"additionalProperties,omitempty"`
}

// reportProperty is the argument for the report, which the instructions explain.
var reportProperty = property(reportMember, `{"type":"object"}`)

// fullSchema returns the whole schema of a primitive with the arguments that every tool
// takes in addition.
func (s *Server) fullSchema(r *primitive.Record, schema json.RawMessage) (json.RawMessage, error) {
	properties := primitive.Properties(schema)
	var given struct {
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(schema, &given); err != nil {
		return nil, err
	}
	if r.Name == activateTool {
		properties = append(properties, property("profile", `{"type":"string","description":"From the list, where two browsers have the tab_id."}`))
	}
	properties = append(properties,
		property("target_url_contains", `{"type":"string"}`), property("target_runtime_id", `{"type":"string"}`), serverArguments[detailMember])
	if !reportExempt(r.Name) {
		properties = append(properties, reportProperty) // not required: it holds for later calls
	}
	return objectSchema(properties, given.Required)
}

func property(name, schema string) jsonnode.Member {
	return jsonnode.Member{Name: name, Node: jsonnode.Node{Raw: json.RawMessage(schema)}}
}

// objectSchema returns an object schema. It stays open: the host checks members that are not
// declared, such as those of a continuation.
func objectSchema(properties []jsonnode.Member, required []string) (json.RawMessage, error) {
	return primitive.Output(object{Type: "object", Properties: jsonnode.Join(properties), Required: required})
}
