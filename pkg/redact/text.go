package redact

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// marks are what a rule for texts can match, so that most texts need no
// regular expression: only a text that holds the character and one of the parts
// (in lower case; an empty one is in every text) can hold the secret.
var marks = []struct {
	char     byte
	prefixes []string
}{
	{'-', []string{"sk-", "rk-", "glpat-", "xox", "-----begin"}},
	{'_', []string{"sk_", "rk_", "ghp_", "gho_", "ghr_", "ghs_", "ghu_", "github_pat_", "npm_", "hf_"}},
	{'.', []string{"eyj"}},
	{' ', []string{"bearer", "basic"}},
	{'\t', []string{"bearer", "basic"}},
	{'@', []string{""}},
	{'a', []string{"akia", "asia", "aiza"}},
	{':', assignMarks},
	{'=', assignMarks},
}

// assignMarks are parts of the names of secrets, which count before = and :.
var assignMarks = []string{
	"pass", "pwd", "secret", "token", "jwt", "credential", "bearer", "key", "auth", "cookie", "sig", "otp", "code",
	"cvc", "cvv", "cvn", "csc", "card", "cc", "ssn", "answer", "maiden", "phrase", "data:", "%",
	"sid", "ticket", "nonce", "assertion", "saml", // parameters of addresses
}

// suspicious reports whether the rules must look at a text.
func suspicious(text []byte) bool {
	var buf [256]byte // no allocation for most texts
	lower := buf[:0]
	for _, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower = append(lower, c)
	}
	for _, mark := range marks {
		if bytes.IndexByte(lower, mark.char) >= 0 && containsAny(lower, mark.prefixes) {
			return true
		}
	}
	return foreignSuspicious(lower) || numberSuspicious(lower)
}

// foreignSuspicious reports whether a text may assign to a name that is not all ASCII.
func foreignSuspicious(text []byte) bool {
	return bytes.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) && bytes.ContainsAny(text, "=:：")
}

func containsAny(text []byte, substrings []string) bool {
	for _, part := range substrings {
		if bytes.Contains(text, []byte(part)) {
			return true
		}
	}
	return false
}

// pattern returns a regular expression that is compiled at its first use: the start of a host,
// in which nothing is suspicious, does not pay for it.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	// keys look like secrets whatever surrounds them. Before one a line end may be escaped.
	keys = pattern(`(?i:(?:\b|\\(?:[nrtbf]|u[0-9a-f]{4}))(?:(?:sk|rk)[-_][a-z0-9_-]{8,}` + // model providers, payment providers
		`|gh[oprsu]_[a-z0-9]{10,}|github_pat_\w{10,}|glpat-[\w-]{10,}|npm_[a-z0-9]{20,}|hf_[a-z0-9]{20,}|xox[a-z]-[\w-]{8,}` +
		`|(?:akia|asia)[a-z0-9]{16}\b|aiza[\w-]{20,}))` + // cloud providers
		`|eyJ[\w-]{6,}(?:\.[\w-]*){1,4}` + // JSON Web Tokens
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)
	schemes  = pattern(`(?i)\b(bearer|basic)([ \t]+)[\w.~+/=-]{8,}`)
	headers  = pattern(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=]\s*)[^\r\n]+`)
	userinfo = pattern(`(?i)\b([a-z][a-z0-9+.-]*://)[^/\s@?#"'<>]+@`)
	// assigned finds the name and sign of name=value, name: value and
	// "name": "value", whose quotes may be escaped, and value what follows; the
	// name decides. Percent signs belong to names: an encoded one is decoded first.
	assigned = pattern(`(\pL[\pL\pM\w.\-\[\]%]*)\\*["']?\s*[:=：]\s*`)
	// before finds words that may be of the name as well: API key: value.
	before = pattern(`(?:\pL+ ){1,2}$`)
	// following finds the next name of a list: Key=a;Suffix=b.
	following = pattern(`;\pL[\w.\-]*=`)
	// A separator ends a value only before a space or a quote: passwords hold them. Those of
	// markup, and in an address all but the comma, end it anywhere.
	value     = pattern(`^(?:` + quoted + `|(?:[,;{}]*[^\s"'&;,<>{}])+)`)
	parameter = pattern(`^(?:` + quoted + `|(?:,*[^\s"'&;,<>{}])+)`)
	// escaped finds what separates the parameters of an address that is itself the value of one.
	escaped  = pattern(`(?i)%(?:25)?3[df]`)
	escape   = pattern(`%[0-9a-fA-F]{2}`)
	dataURLs = pattern(`(?i)data:[\w.+-]*/?[\w.+-]*(?:;[\w.=+-]+)*,[\w+/=%.~-]*`)
)

// quoted matches a text in quotes, which may be escaped ones.
const quoted = `\\+"[^"\r\n]*"?|"(?:\\.|[^"\\\r\n])*"?|'(?:\\.|[^'\\\r\n])*'?`

// maxEscapes is how often a parameter's value is unescaped to look for secrets in it.
const maxEscapes = 2

// Text returns a text without the secrets within it.
func Text(text string) string { return unescapedText(text, maxEscapes) }

// unescapedText is Text with what is left of maxEscapes.
func unescapedText(text string, escapes int) string {
	if !suspicious([]byte(text)) {
		return text
	}
	text = dataURLs().ReplaceAllString(text, "data:"+Mark)
	text = keys().ReplaceAllString(text, Mark)
	text = headers().ReplaceAllString(text, "${1}${2}"+Mark)
	text = schemes().ReplaceAllString(text, "${1}${2}"+Mark)
	if strings.Contains(text, "://") { // cheaper to look for than by the expression
		text = userinfo().ReplaceAllString(text, "${1}"+Mark+"@")
	}
	return redactNumbers(redactAssigned(text, escapes))
}

// redactAssigned replaces the values of assignments whose name tells of a
// secret, in query strings, forms, headers and code.
func redactAssigned(text string, escapes int) string {
	var b strings.Builder
	nested := escapes > 0 && escaped().MatchString(text)
	next := following().FindAllStringIndex(text, -1)
	done, checked := 0, 0 // where the last value that is emptied, and the last that holds nothing escaped, ends
	for _, m := range assigned().FindAllStringSubmatchIndex(text, -1) {
		if m[0] < done {
			continue // within a value that is emptied already
		}
		name := text[m[2]:m[3]]
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		query := inQuery(text, m[2])
		secret := SecretName(name) || SecretName(before().FindString(text[max(done, m[2]-maxName):m[2]])+name) || query && temporaryParameter(name)
		rest := text[m[1]:]
		quotes := beginsQuoted(rest)
		// Without quotes a value within another ends with it, and was unescaped with it.
		if !secret && (!nested || !query || m[1] < checked && !quotes) {
			continue
		}
		for len(next) > 0 && next[0][0] < m[1] {
			next = next[1:]
		}
		limit := len(rest)
		if len(next) > 0 && strings.IndexByte(`"'\`, rest[0]) < 0 {
			limit = next[0][0] - m[1]
			rest = rest[:limit+2] // with the name's beginning, before which separators count
		}
		values := value
		if query {
			values = parameter
		}
		end := values().FindStringIndex(rest)
		if end == nil {
			continue
		}
		end[1] = min(end[1], limit)
		if !secret && !holdsEscaped(rest[:end[1]], escapes) {
			checked = max(checked, m[1]+end[1])
			continue
		}
		b.WriteString(text[done:m[1]])
		b.WriteString(Mark)
		done = m[1] + end[1]
	}
	b.WriteString(text[done:])
	return b.String()
}

// beginsQuoted reports whether a text begins with a quote, which may be an escaped one.
func beginsQuoted(text string) bool {
	text = strings.TrimLeft(text, `\`)
	return text != "" && (text[0] == '"' || text[0] == '\'')
}

// holdsEscaped reports whether a parameter's value holds a secret once it is unescaped,
// as an address to return to does.
func holdsEscaped(value string, escapes int) bool {
	for ; escapes > 0 && escaped().MatchString(value); escapes-- {
		value = unescape(value)
		if unescapedText(value, escapes-1) != value {
			return true
		}
	}
	return false
}

// unescape decodes what it can: an address may be cut within an escape.
func unescape(text string) string {
	return escape().ReplaceAllStringFunc(text, func(found string) string {
		plain, _ := url.PathUnescape(found) // two digits always decode
		return plain
	})
}

// inQuery reports whether the name at start is that of a parameter of an address.
func inQuery(text string, start int) bool {
	return start > 0 && strings.IndexByte("?&#", text[start-1]) >= 0
}

// HoldsKey reports whether a text holds what looks like a key or a token of a
// known kind, whatever surrounds it. It is stricter than [Text]:
// sk-loading-spinner is a name, and keys have digits in them.
func HoldsKey(text string) bool {
	if !suspicious([]byte(text)) {
		return false
	}
	for _, found := range keys().FindAllString(text, -1) {
		if strings.HasPrefix(found, "-----BEGIN") || strings.ContainsAny(found, "0123456789") {
			return true
		}
	}
	return false
}
