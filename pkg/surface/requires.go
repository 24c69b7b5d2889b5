package surface

import "slices"

// Requires is what a map needs of its host and its user.
type Requires struct {
	SignedIn bool     `json:"signed_in,omitempty"`
	Required []string `json:"required_primitives,omitempty"`
	Optional []string `json:"optional_primitives,omitempty"`
	Blocked  []string `json:"blocked_primitives,omitempty"`
	// Pending lists primitives that the author knows to be missing or untried.
	Pending []string `json:"pending_primitives,omitempty"`
}

// Dictionary tells which primitives there are; *primitive.Catalogue is one.
type Dictionary interface {
	// Effect is "" for a name that is no primitive.
	Effect(name string) string
}

// Support compares what a map requires with what this host has.
type Support struct {
	MissingRequired []string `json:"missing_required,omitempty"`
	MissingOptional []string `json:"missing_optional,omitempty"`
	Blocked         []string `json:"blocked,omitempty"`
}

// Support tells which of the declared primitives this host lacks, and which
// the map blocks.
func (s *Surface) Support(catalogue Dictionary) Support {
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

func readRequires(p part) Requires {
	o, _ := p.object()
	dictionary, _ := o.get("primitive_dictionary").object()
	signedIn := o.get("signed_in").boolean()
	return Requires{
		SignedIn: signedIn != nil && *signedIn,
		Required: dictionary.get("required_primitives").references(),
		Optional: dictionary.get("optional_primitives").references(),
		Blocked:  dictionary.get("blocked_primitives").references(),
		Pending: slices.Concat(dictionary.get("implementation_pending_primitives").references(),
			dictionary.get("validation_pending_primitives").references()),
	}
}
