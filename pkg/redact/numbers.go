package redact

import (
	"math/big"
	"strings"
	"unicode/utf8"
)

// A number of a payment card has so many digits.
const minCardDigits, maxCardDigits = 14, 19

// What may stand between the groups of a number: spaces that break no line, too.
const (
	spaces     = " \u00a0\u202f"
	separators = spaces + "-"
)

// Numbers that are secrets by their form or by the words beside them: those of payment cards,
// by issuer and checksum (ISO/IEC 7812), international bank account numbers, by checksum (ISO
// 13616), and codes that are good for one sign-in.
var (
	accounts = pattern(`(?i)\b[a-z]{2}\d{2}(?:[` + spaces + `]?[a-z0-9]){11,30}\b`)

	// issuers are how the numbers of the card networks begin, and how many digits they have.
	issuers = pattern(`^(?:4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12}|3(?:0[0-59]|[689]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17})$`)

	codeName   = `(?:one[- ]?time|verification|confirmation|security|authentication|auth|log[- ]?in|sign[- ]?in|access|sms|two[- ]factor|2fa|mfa|recovery|backup) ?-?(?:code|pin|passcode|password)`
	codeNames  = `(?:` + codeName + `|passcode|t?otp|m?tan|einmalcode|einmalpasswort|bestätigungscode|sicherheitscode|anmeldecode|code de (?:vérification|sécurité|confirmation)|código de (?:verificación|seguridad|confirmación|verificação|segurança)|codice di (?:verifica|sicurezza|conferma)|код подтверждения|验证码|驗證碼|認証コード|확인 코드|인증번호)`
	codeValue  = `(\d{3}[ -]\d{3}|\d{4,8})`
	codeAfter  = pattern(`(?i)(?:^|[^\pL\d])((?:` + codeNames + `|\bg-)(?:[\s:：=#"'(]|is|lautet|ist|est|es|é|è){0,8}-?)` + codeValue + `\b`)
	codeBefore = pattern(`(?i)\b` + codeValue + `((?:["')]|\s)*(?:is|as|ist|als|est|es)\s+(?:your|the|ihr|dein|votre|tu|su)\s+(?:[\pL-]+\s+){0,3}(?:` + codeNames + `|code)\b)`)
	yourCode   = pattern(`(?i)(\b(?:your|ihr|dein|votre|tu|su)\s+(?:[\pL-]+\s+){0,3}(?:code|código)\s*(?:is|ist|lautet|est|es|:)\s*["'(]?)` + codeValue + `\b`)

	codeMarks = []string{"code", "código", "codice", "otp", "tan", "passwor", "pin", "g-", "код", "验证码", "驗證碼", "コード", "코드", "인증번호"}
)

// numberSuspicious reports whether a text in lower case may hold a number that is a secret.
func numberSuspicious(lower []byte) bool {
	run, group, longest := 0, 0, 0
	for i, c := range lower {
		switch {
		case '0' <= c && c <= '9':
			run, group = run+1, group+1
			if longest = max(longest, run); group >= 10 {
				return true
			}
		case (c == ' ' || c == '-' || c >= utf8.RuneSelf) && i > 0 && ('0' <= lower[i-1] && lower[i-1] <= '9' || lower[i-1] >= utf8.RuneSelf):
			run = 0 // the group may go on
		default:
			run, group = 0, 0
		}
	}
	return longest >= 3 && containsAny(lower, codeMarks)
}

// redactNumbers replaces the numbers that are secrets.
func redactNumbers(text string) string {
	text = redactAccounts(redactCards(text))
	if !containsAny([]byte(strings.ToLower(text)), codeMarks) { // cheaper to look for than by the expressions
		return text
	}
	text = codeAfter().ReplaceAllStringFunc(text, func(found string) string {
		at := codeAfter().FindStringSubmatchIndex(found)
		return found[:at[4]] + Mark + found[at[5]:]
	})
	text = codeBefore().ReplaceAllString(text, Mark+"${2}")
	return yourCode().ReplaceAllString(text, "${1}"+Mark)
}

// redactAccounts replaces the numbers of accounts; what follows one may be the next.
func redactAccounts(text string) string {
	var b strings.Builder
	for {
		at := accounts().FindStringIndex(text)
		if at == nil {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at[0]])
		found := text[at[0]:at[1]]
		if end := accountEnd(found); end > 0 {
			b.WriteString(Mark)
			text = text[at[0]+end:]
			continue
		}
		word := strings.IndexAny(found+" ", spaces)
		b.WriteString(found[:word])
		text = text[at[0]+word:]
	}
}

// accountEnd returns where the number of an account that a text begins with ends, 0 if none
// does: words may follow it.
func accountEnd(text string) int {
	for end := len(text); end >= 15; end = strings.LastIndexAny(text[:end], spaces) {
		if account(text[:end]) {
			return end
		}
	}
	return 0
}

// redactCards replaces the numbers of cards, wherever the digits beside them begin and end.
func redactCards(text string) string {
	var b strings.Builder
	done := 0
	for start := 0; start < len(text); start++ {
		if !digitAt(text, start) || digitAt(text, start-1) {
			continue
		}
		if end := cardEnd(text, start); end > 0 {
			b.WriteString(text[done:start])
			b.WriteString(Mark)
			start, done = end, end
		}
	}
	b.WriteString(text[done:])
	return b.String()
}

// cardEnd returns where the number of a card that begins at start ends, 0 if none does.
func cardEnd(text string, start int) (found int) {
	digits := 0
	for at := start; at < len(text) && digits < maxCardDigits; at++ {
		if !digitAt(text, at) {
			r, n := utf8.DecodeRuneInString(text[at:])
			if !isSeparator(r) || !digitAt(text, at+n) {
				return found
			}
			at += n - 1
		} else if digits++; digits >= minCardDigits && !digitAt(text, at+1) && card(text[start:at+1]) {
			found = at + 1
		}
	}
	return found
}

func digitAt(text string, i int) bool {
	return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9'
}

func isSeparator(r rune) bool { return strings.ContainsRune(separators, r) }

// withoutSeparators joins the groups of a number.
func withoutSeparators(text string) string {
	return strings.Map(func(r rune) rune {
		if isSeparator(r) {
			return -1
		}
		return r
	}, text)
}

// card reports whether digits, with separators between them, are the number of a card.
func card(text string) bool {
	digits := withoutSeparators(text)
	if !issuers().MatchString(digits) {
		return false
	}
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// account reports whether a text is an international bank account number.
func account(text string) bool {
	plain := strings.ToUpper(withoutSeparators(text))
	if len(plain) < 15 || len(plain) > 34 {
		return false
	}
	var digits strings.Builder
	for _, c := range plain[4:] + plain[:4] {
		if c >= 'A' {
			digits.WriteByte(byte('0' + (c-'A'+10)/10))
			digits.WriteByte(byte('0' + (c-'A'+10)%10))
		} else {
			digits.WriteRune(c)
		}
	}
	number, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && new(big.Int).Mod(number, big.NewInt(97)).Int64() == 1
}
