package maptest

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/origin"
)

// Resolve calls found with each case and the address of its page. The site is the origin that
// paths belong to, and that of a saved page that names no address; it may be empty. Hosts are
// those that the map counts for; none: any. Pages without an address, and those of other hosts,
// are mistakes.
func (f *File) Resolve(text []byte, site string, hosts []string, found func(c *Case, address string)) []Problem {
	var problems []Problem
	for i := range f.Cases {
		c := &f.Cases[i]
		report := func(below, message string) {
			problems = append(problems, Problem{Pointer: c.pointer + below, Message: message})
		}
		address, at := c.Page, "/page"
		switch c.PageKind() {
		case PagePath:
			if site == "" {
				report("/page", "the map lies in no folder of a site: name where its pages are with --base, or write a whole address")
				continue
			}
			address = site + c.Page
		case PageFile:
			if c.URL == "" && site == "" {
				report("/page", "the map lies in no folder of a site: give the saved page the address that it was saved from, as url")
				continue
			}
			address, at = site+"/", "/page"
			if c.URL != "" {
				address, at = c.URL, "/url"
			}
		}
		page, err := origin.Parse(address)
		if err != nil {
			report(at, "no page can have this address: "+err.Error())
			continue
		}
		if len(hosts) > 0 && !slices.ContainsFunc(hosts, func(host string) bool { return origin.MatchHost(page.Host, host) }) {
			report(at, "the page is of "+page.Host+", and the map counts for "+strings.Join(hosts, ", ")+" only")
			continue
		}
		found(c, address)
	}
	return locate(text, problems)
}
