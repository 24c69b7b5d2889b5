package inspect

import "github.com/actionsjson/actions-host/pkg/primitive"

// permittedOrigins returns a function that reports for one call whether its session may see
// entries of an origin. The tab goes from page to page and shows frames of others: each origin
// is decided for as the page's own was.
func permittedOrigins(c primitive.Call) func(origin string) bool {
	known := map[string]bool{c.Origin: true}
	return func(origin string) bool {
		if origin == "" {
			return c.Session.Sees("") // nothing can be granted for it: only unrestricted sessions see it
		}
		allowed, decided := known[origin]
		if !decided {
			allowed = c.Permit(origin) == nil
			known[origin] = allowed
		}
		return allowed
	}
}
