package origin

// OfDocument returns the origin for policy decisions about a document, as text. It is
// the one that the browser reports; a srcdoc document without one has the origin of
// its parent, which contains its text. It is empty for every other document: its
// owner is unknown, and nothing can be granted for it.
func OfDocument(reported, url, parent string) string {
	if o, err := Parse(reported); err == nil {
		return o.String()
	}
	if url == "about:srcdoc" {
		return parent
	}
	return ""
}
