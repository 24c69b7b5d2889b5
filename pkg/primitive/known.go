package primitive

import "slices"

// Unknown lists the public primitives that an extension which knows these names
// cannot run, because they run in the page.
func (c *Catalogue) Unknown(known []string) []string {
	var unknown []string
	for _, name := range c.names {
		r := c.records[name]
		inPage := r.Route == RoutePage || r.CapabilityClass == "mixed"
		if !r.Internal && inPage && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
