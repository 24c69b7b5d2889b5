package lint

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/redact"
)

var (
	localPath = pattern(`(?i)(?:^|[\s"'(=,:])(?:file:/{1,3}\S|~/\S|[a-z]:\\\S|\\\\[\w-]+\\)|(?:^|[\s"'(=])/(?:home|users|root|tmp|mnt|opt|private|var/folders)/\S`)
	bearer    = pattern(`(?i)\bbearer\s+[a-z0-9._~+/-]*[0-9][a-z0-9._~+/-]{15,}`)
	cookie    = pattern(`(?i)\b(?:set-)?cookie:\s*[\w.-]+=[^\s;]{6,}`)
	userInfo  = pattern(`(?i)\bhttps?://[^/\s@:]+:[^/\s@]+@`)
	mail      = pattern(`([A-Za-z0-9._%+-]+)@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})\b`)
	account   = pattern(`/u/\d+(?:[/?#]|$)`)
	longID    = pattern(`(?:^|[^\w.#-])\d{10,}(?:[^\w.-]|$)`)
	roles     = pattern(`(?i)^(?:info|support|contact|help|sales|press|privacy|security|hello|office|no-?reply|git|user|name|you|me)$`)
	reserved  = pattern(`(?i)(?:^|\.)(?:example\.(?:com|org|net)|example|test|invalid|localhost|png|jpe?g|webp|gif|svg)$`)
)

// checkTexts checks every string of the map.
func (l *linter) checkTexts() {
	l.root.Walk(func(n jsonnode.Node) {
		text := n.Text()
		if text == "" {
			return
		}
		if secret(n.Key(), text) {
			l.add("secret_in_map", n, "this looks like a secret") // never quoted: a report is read by others
			return
		}
		if localPath().MatchString(text) {
			l.add("absolute_local_path", n, "this names a place on one machine")
		}
		// Authors and reviewers of a map may be named.
		if l.place.public() && !strings.HasPrefix(n.Pointer, "/provenance/") && identifies(text) {
			l.add("account_identifier", n, "this looks like somebody's account")
		}
	})
}

// secret reports whether a string is or contains a secret. Under a name such as
// password only what looks like a value counts: one word with digits in it.
func secret(name, text string) bool {
	if redact.HoldsKey(text) || bearer().MatchString(text) || cookie().MatchString(text) || userInfo().MatchString(text) {
		return true
	}
	return redact.SecretName(name) && len(text) >= 6 && slot(text) == "" &&
		!strings.ContainsAny(text, " \n{[#.$") && strings.ContainsAny(text, "0123456789")
}

// identifies reports whether a text names an account.
func identifies(text string) bool {
	if account().MatchString(text) || longID().MatchString(text) {
		return true
	}
	for _, m := range mail().FindAllStringSubmatch(text, -1) {
		// Role addresses and those of documentation identify no person.
		if !roles().MatchString(m[1]) && !reserved().MatchString(m[2]) {
			return true
		}
	}
	return false
}
