package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/coretools"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// serverArguments are the arguments for the server itself.
var serverArguments = map[string]jsonnode.Member{
	coretools.ProfileMember: property(coretools.ProfileMember, `{"type":"string"}`),
	detailMember:            property(detailMember, `{"type":"boolean"}`),
}

// coreTools returns the tools of the profile core.
func (s *Server) coreTools() ([]tool, error) {
	var list []tool
	for _, o := range coretools.List() {
		r, _ := s.catalogue.Public(o.Name)
		if !s.offered(r) {
			continue
		}
		schema, err := coreSchema(o, r)
		if err != nil {
			return nil, err
		}
		list = append(list, tool{o.Name, &mcp.Tool{Name: s.names.Safe(o.Name), Description: o.Description, InputSchema: schema, Annotations: hints(r)}})
	}
	return list, nil
}

// coreSchema returns the schema with the arguments of the offer, without their descriptions:
// the names suffice, and primitives.list has the text.
func coreSchema(o coretools.Tool, r *primitive.Record) (json.RawMessage, error) {
	properties, required, err := o.Schema(r, serverArguments)
	if err != nil {
		return nil, err
	}
	if !reportExempt(o.Name) {
		properties = append(properties, reportProperty) // not required: it holds for later calls
	}
	return objectSchema(properties, required)
}
