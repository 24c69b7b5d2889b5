package strictjson

// sound reports whether a compact text with minimally escaped strings is nested no deeper than
// the limit and has no control character in a member name.
func sound(text []byte, maxDepth int) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return false
			}
		case '}', ']':
			depth--
		case '"':
			end, control := stringEnd(text, i)
			if control && end+1 < len(text) && text[end+1] == ':' {
				return false
			}
			i = end
		}
	}
	return true
}

// stringEnd returns where the string that starts at i ends, and whether it holds a control
// character: one below a space has an escape, which beside it only quotes and backslashes have.
func stringEnd(text []byte, i int) (end int, control bool) {
	for i++; text[i] != '"'; i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
			control = control || text[i] != '"' && text[i] != '\\'
		case c == 0x7f, c == 0xc2 && text[i+1] < 0xa0: // U+007F, U+0080 to U+009F
			control = true
		}
	}
	return i, control
}
