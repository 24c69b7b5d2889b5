package primitive

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/suggest"
)

// Unknown lists the public primitives that an extension which knows these names
// cannot run, because they run in the page.
func (c *Catalogue) Unknown(known []string) []string {
	var unknown []string
	for _, name := range c.names {
		if slices.Contains(known, name) {
			continue
		}
		if r, public := c.Public(name); public && (r.Route == RoutePage || r.CapabilityClass == "mixed") {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// NoSuch returns the fault unknown_primitive for a name, with similar public names.
func (c *Catalogue) NoSuch(name string) *fault.Error {
	public := slices.DeleteFunc(c.Names(), func(known string) bool {
		_, public := c.Public(known)
		return !public
	})
	return suggest.AddTo(fault.New(fault.UnknownPrimitive, "there is no primitive named %q", name), name, public).WithDispatched(fault.NotDispatched)
}
