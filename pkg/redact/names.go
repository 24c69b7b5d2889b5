package redact

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxName is the longest text that can be a name; prose is none.
const maxName = 200

// SecretName reports whether a member, parameter or label names a secret, such
// as access_token or "Security code". A name matches when it holds one of the
// words of manifest/credential-words.json as whole words: access_token,
// accessToken and "Access token" hold "token", tokenizer does not. It is called
// for every name of every log record and allocates nothing for one of ASCII.
func SecretName[T string | []byte](name T) bool {
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
		if c > unicode.MaxASCII {
			return foreignSecretName(string(name))
		}
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

// foreignSecretName is SecretName for a name that is not all ASCII.
func foreignSecretName(name string) bool {
	name = foldName(name)
	words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ") + " "
	for _, word := range foreignWords {
		if strings.Contains(words, " "+word+" ") {
			return true
		}
	}
	for _, part := range foreignParts {
		if strings.Contains(words, part) {
			return true
		}
	}
	return SecretName(strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return ' '
		}
		return r
	}, name))
}

// foldName takes the accents off the letters.
func foldName(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 0x300 && r <= 0x36f: // combining marks
			return -1
		case r == 'ł' || r == 'Ł':
			return 'l'
		}
		return r
	}, norm.NFKD.String(name))
	return norm.NFKC.String(plain)
}
