package redact

import (
	"net/url"
	"strings"

	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	maxURL    = 1000
	maxHeader = 300 // of one value
	maxFields = 60  // headers of one message
)

// secretSubstrings stand in the names of headers and parameters whose values are not
// for an agent, beyond [SecretName].
var secretSubstrings = []string{"token", "secret", "key", "session", "password", "passwd", "credential", "signature", "auth", "cookie", "csrf", "xsrf"}

// temporaryParameters are whole names of parameters that grant access for a time.
var temporaryParameters = map[string]bool{"code": true, "sig": true, "sid": true, "ticket": true, "otp": true, "nonce": true, "assertion": true, "samlresponse": true}

func secretHeader(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "proxy-") || containsSecretSubstring(lower) || SecretName(name)
}

func secretParameter(name string) bool {
	return temporaryParameter(name) || containsSecretSubstring(strings.ToLower(name)) || SecretName(name)
}

func temporaryParameter(name string) bool {
	return temporaryParameters[strings.ToLower(name)]
}

func containsSecretSubstring(lower string) bool {
	for _, part := range secretSubstrings {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}

// TextUpTo returns a text without the secrets within it, cut to so many
// characters. Text far beyond them is not examined.
func TextUpTo(text string, most int) string {
	return truncate.Characters(Text(truncate.Characters(text, 4*most)), most)
}

// URL returns an address without its user, secret parameters and what looks like
// a key.
func URL(raw string) string {
	if scheme, rest, ok := strings.Cut(raw, ":"); ok && (scheme == "data" || scheme == "blob" || scheme == "javascript") {
		kind, _, _ := strings.Cut(rest, ",")
		return scheme + ":" + truncate.Characters(kind, 60)
	}
	u, err := url.Parse(truncate.Characters(raw, 4*maxURL))
	if err != nil {
		return TextUpTo(raw, maxURL)
	}
	if u.User != nil {
		u.User = url.User(Mark)
	}
	u.RawQuery = safeParameters(u.RawQuery)
	if strings.Contains(u.Fragment, "=") {
		// A fragment such as #access_token=… is a query in all but name.
		u.Fragment, u.RawFragment = safeParameters(u.Fragment), ""
	}
	text := u.String()
	// The marker is for people, not for a browser.
	text = strings.ReplaceAll(text, url.QueryEscape(Mark), Mark)
	return TextUpTo(text, maxURL)
}

// safeParameters keeps the order and the form of a query.
func safeParameters(query string) string {
	pairs := strings.Split(query, "&")
	for i, part := range pairs {
		name, value, found := strings.Cut(part, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if found && value != "" && (secretParameter(plain) || holdsEscaped(value, maxEscapes)) {
			pairs[i] = name + "=" + Mark
		}
	}
	return strings.Join(pairs, "&")
}

// Headers returns headers as text, without secrets.
func Headers(headers map[string]any) map[string]string {
	safe := map[string]string{}
	for name, value := range headers {
		if len(safe) == maxFields {
			break
		}
		text, _ := value.(string)
		switch {
		case secretHeader(name):
			safe[truncate.Characters(name, 100)] = Mark
		case strings.Contains(text, "://"):
			safe[truncate.Characters(name, 100)] = truncate.Characters(URL(text), maxHeader)
		default:
			safe[truncate.Characters(name, 100)] = TextUpTo(text, maxHeader)
		}
	}
	return safe
}
