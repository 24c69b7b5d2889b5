package storage

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var frontMatterKey = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// frontMatter parses the flat "key: value" lines between the "---" lines at the start
// of a text. It ignores anything else, such as nesting, and a block that is not
// closed. The first of two equal keys counts.
func frontMatter(head []byte) map[string]string {
	found := map[string]string{}
	text := string(head[:min(len(head), maxFrontMatter)])
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if lines[0] != "---" {
		return found
	}
	for _, line := range lines[1:] {
		if strings.TrimRight(line, " \t") == "---" {
			return found
		}
		key, value, ok := strings.Cut(line, ":")
		if _, seen := found[key]; !ok || seen || !frontMatterKey.MatchString(key) {
			continue
		}
		if value = unquote(strings.TrimSpace(value)); value != "" && utf8.ValidString(value) {
			found[key] = value
		}
	}
	return map[string]string{}
}

// unquote removes one pair of quotes.
func unquote(value string) string {
	for _, quote := range []string{`"`, `'`} {
		if len(value) >= 2 && strings.HasPrefix(value, quote) && strings.HasSuffix(value, quote) {
			return value[1 : len(value)-1]
		}
	}
	return value
}
