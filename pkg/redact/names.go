package redact

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

// SecretName reports whether a member, parameter or label names a secret, such
// as access_token or "Security code". It is called for every name of every log
// record and allocates nothing.
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
