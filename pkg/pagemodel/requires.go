package pagemodel

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Requires lists what a map needs of its host and its user.
type Requires struct {
	SignedIn bool     `json:"signed_in,omitempty"`
	Required []string `json:"required_primitives,omitempty"`
	Optional []string `json:"optional_primitives,omitempty"`
	Blocked  []string `json:"blocked_primitives,omitempty"`
	// Pending lists primitives that the author knows to be missing or untried.
	Pending []string `json:"pending_primitives,omitempty"`
	// PageTools names tools that the page itself must offer (WebMCP).
	PageTools []string `json:"page_tools,omitempty"`
}

// Dictionary knows the primitives; *primitive.Catalogue is one.
type Dictionary interface {
	// Effect returns the effect of a primitive, "" for an unknown name.
	Effect(name string) string
}

// Support compares what a map requires with what this host has.
type Support struct {
	MissingRequired []string `json:"missing_required,omitempty"`
	MissingOptional []string `json:"missing_optional,omitempty"`
	Blocked         []string `json:"blocked,omitempty"`
}

// Support reports which of the declared primitives this host lacks, and which
// the map blocks.
func (s *Model) Support(catalogue Dictionary) Support {
	missing := func(names []string) (out []string) {
		for _, name := range names {
			if catalogue.Effect(name) == "" {
				out = append(out, name)
			}
		}
		return out
	}
	return Support{missing(s.Requires.Required), missing(s.Requires.Optional), s.Requires.Blocked}
}

func readRequires(p jsonnode.Node) Requires {
	o := p.Object()
	dictionary := o.Get("primitive_dictionary").Object()
	signedIn := o.Get("signed_in").Boolean()
	return Requires{
		SignedIn:  signedIn != nil && *signedIn,
		Required:  dictionary.Get("required_primitives").Names(),
		Optional:  dictionary.Get("optional_primitives").Names(),
		Blocked:   dictionary.Get("blocked_primitives").Names(),
		PageTools: o.Get("page_tools").Names(),
		Pending: slices.Concat(dictionary.Get("implementation_pending_primitives").Names(),
			dictionary.Get("validation_pending_primitives").Names()),
	}
}
