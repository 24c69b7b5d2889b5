package inspect

import (
	"net/url"
	"strings"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/shorten"
)

const (
	hidden = "[redacted]"

	maxText   = 2000 // characters of a console text
	maxURL    = 1000
	maxHeader = 300 // of one value
	maxFields = 60  // headers of one message
)

// secretParts are parts of the names of headers and parameters whose values are
// not for an agent, beyond what the log hides.
var secretParts = []string{"token", "secret", "key", "session", "password", "passwd", "credential", "signature", "auth", "cookie", "csrf", "xsrf"}

// secretParameters are whole names of parameters that grant access for a time.
var secretParameters = map[string]bool{"code": true, "sig": true, "sid": true, "ticket": true, "otp": true, "nonce": true, "assertion": true, "samlresponse": true}

func secretHeader(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "proxy-") || holdsSecretPart(lower) || journal.SecretName(name)
}

func secretParameter(name string) bool {
	lower := strings.ToLower(name)
	return secretParameters[lower] || holdsSecretPart(lower) || journal.SecretName(name)
}

func holdsSecretPart(lower string) bool {
	for _, part := range secretParts {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}

// safeText hides secrets in a text and cuts it. What lies far behind the cut is
// not looked at.
func safeText(text string, most int) string {
	return shorten.Characters(journal.RedactText(shorten.Characters(text, 4*most)), most)
}

// safeURL hides the user, secret parameters and what looks like a key in an
// address.
func safeURL(raw string) string {
	if scheme, rest, ok := strings.Cut(raw, ":"); ok && (scheme == "data" || scheme == "blob" || scheme == "javascript") {
		kind, _, _ := strings.Cut(rest, ",")
		return scheme + ":" + shorten.Characters(kind, 60)
	}
	u, err := url.Parse(shorten.Characters(raw, 4*maxURL))
	if err != nil {
		return safeText(raw, maxURL)
	}
	if u.User != nil {
		u.User = url.User(hidden)
	}
	u.RawQuery = safeParameters(u.RawQuery)
	if strings.Contains(u.Fragment, "=") {
		// A fragment such as #access_token=… is a query in all but name.
		u.Fragment, u.RawFragment = safeParameters(u.Fragment), ""
	}
	text := u.String()
	// The sign of what was hidden is for reading, not for a browser.
	text = strings.ReplaceAll(text, url.QueryEscape(hidden), hidden)
	return safeText(text, maxURL)
}

// safeParameters keeps the order and the form of a query.
func safeParameters(query string) string {
	parts := strings.Split(query, "&")
	for i, part := range parts {
		name, value, found := strings.Cut(part, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if found && value != "" && secretParameter(plain) {
			parts[i] = name + "=" + hidden
		}
	}
	return strings.Join(parts, "&")
}

// safeHeaders gives the headers as text, without secrets.
func safeHeaders(headers map[string]any) map[string]string {
	safe := map[string]string{}
	for name, value := range headers {
		if len(safe) == maxFields {
			break
		}
		text, _ := value.(string)
		switch {
		case secretHeader(name):
			safe[shorten.Characters(name, 100)] = hidden
		case strings.Contains(text, "://"):
			safe[shorten.Characters(name, 100)] = shorten.Characters(safeURL(text), maxHeader)
		default:
			safe[shorten.Characters(name, 100)] = safeText(text, maxHeader)
		}
	}
	return safe
}
