package draft

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// place is a link that is written into the map.
type place struct {
	Name string `json:"name"`
	URL  string `json:"url"`
	Area string `json:"area,omitempty"` // navigation or content
}

// personal are the names of parameters that identify a person.
var personal = regexp.MustCompile(`(?i)token|session|sid|auth|sig|key|code|mail|user`)

var contactWords = regexp.MustCompile(`(?i)\b(contact|support|help|kontakt|contacto|contatti)\b`)

// orientation writes the actions that only describe the page.
func (w *writer) orientation() {
	p := w.page
	var forms []string
	for _, f := range p.Forms {
		if button, ok := f.submit(); f.shown() && ok {
			forms = append(forms, line(cmp.Or(text(f.Label), text(f.ID), text(f.Name), p.label(button), "form")))
		}
	}
	w.static("summary", "What this page is: its title, its parts, its headings and its forms.", map[string]any{
		"title": p.Title, "url": p.url, "landmarks": append([]landmark{}, p.Landmarks...), "headings": append([]heading{}, p.Headings...), "forms": append([]string{}, forms...),
	})
	places := p.places()
	var pages []place
	for _, l := range places {
		if l.Area == "navigation" && strings.HasPrefix(l.URL, p.origin+"/") {
			pages = append(pages, place{Name: l.Name, URL: l.URL})
		}
	}
	w.static("site_map", "The pages that the site's navigation leads to.", map[string]any{"home": p.origin + "/", "pages": append([]place{}, pages...)})
	w.static("navigation_targets", "The links of this page with their exact addresses, for browser.navigate.", map[string]any{"links": append([]place{}, places...)})
	if contact, ok := p.contact(); ok {
		w.static("links.contact", "Where to reach the people behind this site.", contact)
	}
}

func (w *writer) static(name, description string, output any) {
	full, _ := w.freeName(name)
	w.add(tool{Name: full, Description: description, InputSchema: emptyInput(), Extra: &extra{StaticOutput: output}})
}

// places returns the page's links, each address once.
func (p *page) places() []place {
	var places []place
	for _, l := range p.Links {
		address, ok := p.resolve(text(l.Href))
		name := line(cmp.Or(text(l.Text), text(l.Label)))
		if !ok || name == "" || len(places) == maxLinks ||
			slices.ContainsFunc(places, func(other place) bool { return other.URL == address }) {
			continue
		}
		area := "content"
		if l.Nav != nil {
			area = "navigation"
		}
		places = append(places, place{name, address, area})
	}
	return places
}

// resolve returns the full address of a link; false if it leads nowhere new
// or may contain personal data.
func (p *page) resolve(href string) (string, bool) {
	u, err := p.base.Parse(strings.TrimSpace(href))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || len(u.RawQuery) > maxLine {
		return "", false
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", false
	}
	for name := range query {
		if personal.MatchString(name) {
			return "", false
		}
	}
	if !route(u.Fragment) {
		u.Fragment = ""
	}
	return u.String(), strings.TrimSpace(href) != "" && (u.Fragment != "" || !strings.HasPrefix(href, "#"))
}

// route reports whether a fragment is a page of an application, such as
// #/tickets, and not a place on this one.
func route(fragment string) bool {
	return (strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!")) && !strings.ContainsAny(fragment, "?=&")
}

// contact returns the contact link of the site: a page rather than an address.
func (p *page) contact() (place, bool) {
	for _, l := range p.places() {
		if contactWords.MatchString(l.Name) || contactWords.MatchString(strings.TrimPrefix(l.URL, p.origin)) {
			return place{Name: l.Name, URL: l.URL}, true
		}
	}
	for _, l := range p.Links {
		if href := text(l.Href); strings.HasPrefix(href, "mailto:") && len(href) <= maxLine {
			return place{Name: line(cmp.Or(text(l.Text), "E-mail")), URL: href}, true
		}
	}
	return place{}, false
}

// projection returns a projection of the page's headings and repeated items.
func (w *writer) projection() projection {
	read := func(id, selector string) extractor {
		return extractor{ID: id, Selector: selector, Fields: map[string]extractor{"text": {Property: "innerText", Trim: true}}}
	}
	extract := []extractor{read("headings", "h1, h2, h3")}
	state := "{'title': title, 'url': url, 'headings': [records.headings.text]"
	short := "{'title': state.title, 'headings': state.headings[[0..9]]"
	if w.page.items != "" {
		extract = append(extract, read("items", w.page.items))
		state += ", 'items': [records.items.text]"
		short += ", 'items': state.items[[0..9]]"
	}
	return projection{
		Name: w.site + ".page", Description: "What the page shows now: its headings and the items of its content.",
		Snapshot:  snapshot{Version: 1, Source: "dom", Extract: extract, Projection: expression{"jsonata", "{% " + state + "} %}"}},
		Summaries: []summary{{Name: "agent_context", Expression: "{% " + short + "} %}", MaxBytes: 4000}},
	}
}
