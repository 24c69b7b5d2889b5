package origin

import "net/url"

// Page returns an address without its parameters, its fragment and its user, in which personal texts may
// stand; empty for what is no address.
func Page(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	u.RawQuery, u.Fragment, u.RawFragment, u.User, u.ForceQuery = "", "", "", nil, false
	return u.String()
}
