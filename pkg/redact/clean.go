package redact

import "bytes"

// clean reports whether a compact JSON text surely holds no secret, which is far
// cheaper to find out than to decode it: each string is looked at where it
// stands.
func clean(text []byte) bool {
	describing := false // the next string is the value of a member that describes others
	for {
		start := bytes.IndexByte(text, '"')
		if start < 0 {
			return !longNumber(text)
		}
		if longNumber(text[:start]) {
			return false
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
			if escapes || SecretName(word) {
				return false
			}
			describing = describes(string(word))
			continue
		}
		if escapes { // those of quotes stay: no rule needs to see through them
			word = bytes.ReplaceAll(word, []byte(`\n`), []byte("\n"))
		}
		if describing && (escapes || SecretName(word)) || !cleanValue(word) {
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

// longNumber reports whether there is a number that is as long as that of a card.
func longNumber(text []byte) bool {
	digits := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			digits = 0
		} else if digits++; digits >= minCardDigits {
			return true
		}
	}
	return false
}
