package journal

import (
	"bytes"
	"regexp"
	"strings"
)

// secretWord reports whether a word names secrets. A name matches when it holds
// one of them as whole words: access_token, accessToken and "Access token" hold
// "token", tokenizer does not. Words written apart, at most three, are joined by
// underscores.
func secretWord(word string) bool {
	switch word { // faster than a map, and it is asked for every name of every record
	case "password", "passwords", "passwd", "passphrase", "passcode", "pass", "pwd",
		"secret", "secrets", "token", "jwt", "bearer", "credential", "credentials",
		"apikey", "api_key", "access_key", "private_key", "secret_key", "encryption_key", "signing_key",
		"authorization", "auth", "cookie", "cookies", "sig", "signature",
		"otp", "totp", "one_time_code", "onetimecode", "verification_code", "security_code", "recovery_code", "backup_code", "pin_code",
		"cvc", "cvv", "csc", "card_number", "cardnumber", "cc_number", "credit_card", "ssn":
		return true
	}
	return false
}

// secretEndings catch words written together, such as accesstoken.
var secretEndings = []string{"password", "passwd", "token", "secret", "apikey", "privatekey", "secretkey", "accesskey"}

// maxName is the longest text that can be a name; prose is none.
const maxName = 200

// secretName reports whether a member, parameter or label names a secret. It is
// called for every name of every record and allocates nothing.
func secretName[T string | []byte](name T) bool {
	if len(name) < 3 || len(name) > maxName {
		return false
	}
	var buf [2 * maxName]byte // the words in lower case, joined by underscores
	b := buf[:0]
	starts := [3]int{-1, -1, -1} // of the last three words
	start, lowerBefore := 0, false
	end := func() bool {
		if start == len(b) {
			return false
		}
		starts = [3]int{starts[1], starts[2], start}
		found := isSecret(b, starts)
		b = append(b, '_')
		start = len(b)
		return found
	}
	for i := range len(name) {
		c := name[i]
		upper, letter := 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if (!upper && !letter || upper && lowerBefore) && end() {
			return true
		}
		switch {
		case upper:
			b = append(b, c+'a'-'A')
		case letter:
			b = append(b, c)
		}
		lowerBefore = letter
	}
	return end()
}

// isSecret looks at the last word, the last two and the last three.
func isSecret(words []byte, starts [3]int) bool {
	for _, start := range starts {
		if start >= 0 && secretWord(string(words[start:])) {
			return true
		}
	}
	last := words[starts[2]:]
	for _, ending := range secretEndings {
		if len(last) > len(ending) && string(last[len(last)-len(ending):]) == ending {
			return true
		}
	}
	return false
}

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
	"cvc", "cvv", "csc", "card", "cc", "ssn", "data:", "%",
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
	return false
}

func containsAny(text []byte, substrings []string) bool {
	for _, part := range substrings {
		if bytes.Contains(text, []byte(part)) {
			return true
		}
	}
	return false
}

// clean reports whether a compact JSON text surely holds no secret, which is far
// cheaper to find out than to decode it: each string is looked at where it
// stands.
func clean(text []byte) bool {
	describing := false // the next string is the value of a member that describes others
	for {
		start := bytes.IndexByte(text, '"')
		if start < 0 {
			return true
		}
		text = text[start+1:]
		end, escapes := 0, false
		for escaped := false; ; end++ {
			if c := text[end]; c == '"' && !escaped {
				break
			} else if c == '\\' {
				// What an escape hides is seen only after decoding, but the
				// usual ones, of line ends and quotes, hide nothing.
				if next := text[end+1]; next != 'n' && next != '"' {
					return false
				}
				escaped, escapes = !escaped, true
			} else {
				escaped = false
			}
		}
		word := text[:end]
		text = text[end+1:]
		if len(text) > 0 && text[0] == ':' {
			if escapes || secretName(word) {
				return false
			}
			describing = describes(string(word))
			continue
		}
		if describing && (escapes || secretName(word)) || !cleanValue(word) {
			return false
		}
		describing = false
	}
}

// cleanValue reports whether no rule can match a string value.
func cleanValue(value []byte) bool {
	switch {
	case len(value) < 5: // otp=1 is the shortest match
		return true
	case value[0] == '{' || value[0] == '[': // may be JSON again
		return false
	}
	return base64Kind(value) == "" && !suspicious(value)
}

var (
	// keys look like secrets whatever surrounds them.
	keys = regexp.MustCompile(`(?i:\b(?:sk|rk)[-_][a-z0-9_-]{8,}` + // model providers, payment providers
		`|\bgh[oprsu]_[a-z0-9]{10,}|\bgithub_pat_\w{10,}|\bglpat-[\w-]{10,}|\bnpm_[a-z0-9]{20,}|\bhf_[a-z0-9]{20,}|\bxox[a-z]-[\w-]{8,}` +
		`|\b(?:akia|asia)[a-z0-9]{16}\b|\baiza[\w-]{20,})` + // cloud providers
		`|eyJ[\w-]{6,}(?:\.[\w-]*){1,4}` + // JSON Web Tokens
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)
	schemes  = regexp.MustCompile(`(?i)\b(bearer|basic)([ \t]+)[\w.~+/=-]{8,}`)
	headers  = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=]\s*)[^\r\n]+`)
	userinfo = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*://)[^/\s@?#"'<>]+@`)
	// assigned finds the name and sign of name=value, name: value and
	// "name": "value", and value what follows; the name decides. Percent signs
	// belong to names: an encoded one is decoded first.
	assigned = regexp.MustCompile(`([A-Za-z][\w.\-\[\]%]*)["']?\s*[:=]\s*`)
	value    = regexp.MustCompile(`^(?:"[^"\r\n]*"?|'[^'\r\n]*'?|[^\s"'&;,<>{}]+)`)
	dataURLs = regexp.MustCompile(`(?i)data:[\w.+-]*/?[\w.+-]*(?:;[\w.=+-]+)*,[\w+/=%.~-]*`)
)

// redactText replaces the secrets within a string.
func redactText(text string) string {
	if !suspicious([]byte(text)) {
		return text
	}
	text = dataURLs.ReplaceAllString(text, "data:"+hidden)
	text = keys.ReplaceAllString(text, hidden)
	text = headers.ReplaceAllString(text, "${1}${2}"+hidden)
	text = schemes.ReplaceAllString(text, "${1}${2}"+hidden)
	if strings.Contains(text, "://") { // cheaper to look for than by the expression
		text = userinfo.ReplaceAllString(text, "${1}"+hidden+"@")
	}
	return redactAssigned(text)
}
