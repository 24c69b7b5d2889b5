package primitives

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestParseChord(t *testing.T) {
	// Ensure that keys and chords are split as people write them, that the plus key can be named, and that modifiers stand once in their order.
	for _, row := range []struct {
		key       string
		modifiers []string
		want      chord
	}{
		{"a", nil, chord{key: "a"}},
		{"Enter", nil, chord{key: "Enter"}},
		{"Control+A", nil, chord{"A", []string{"Control"}}},
		{"ctrl+shift+ArrowLeft", nil, chord{"ArrowLeft", []string{"Control", "Shift"}}},
		{"a", []string{"OPTION", "alt", "Command"}, chord{"a", []string{"Alt", "Meta"}}},
		{"Control+a", []string{"shift", "control"}, chord{"a", []string{"Shift", "Control"}}},
		{"+", nil, chord{key: "+"}},
		{"Control++", nil, chord{"+", []string{"Control"}}},
		{"Shift", nil, chord{key: "Shift"}},
		{"Control+Shift", nil, chord{"Shift", []string{"Control"}}},
		{"ä", nil, chord{key: "ä"}},
		{" ", nil, chord{key: " "}},
	} {
		got, err := parseChord(row.key, row.modifiers)
		if err != nil {
			t.Errorf("%q %v: %v", row.key, row.modifiers, err)
			continue
		}
		if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(chord{})); diff != "" {
			t.Errorf("%q %v: %s", row.key, row.modifiers, diff)
		}
	}
	for _, row := range []struct {
		key       string
		modifiers []string
		code      fault.Code
	}{
		{"", nil, fault.InvalidKey},
		{"Hyper+a", nil, fault.InvalidKey},
		{"a+b", nil, fault.InvalidKey},
		{"a", []string{"Hyper"}, fault.InvalidInput},
		{"a", []string{""}, fault.InvalidInput},
	} {
		if _, err := parseChord(row.key, row.modifiers); !fault.Is(err, row.code) {
			t.Errorf("%q %v: %v, want %s", row.key, row.modifiers, err, row.code)
		}
	}
}

func TestPlain(t *testing.T) {
	// Ensure that a shortcut presses the key itself: Control+A is no shifted A, and Shift or no modifier leaves what is typed.
	for _, row := range []struct {
		chord chord
		want  string
	}{
		{chord{"A", []string{"Control"}}, "a"},
		{chord{"A", []string{"Control", "Shift"}}, "A"},
		{chord{"A", nil}, "A"},
		{chord{"Ä", []string{"Meta"}}, "ä"},
		{chord{"ArrowUp", []string{"Control"}}, "ArrowUp"},
	} {
		if got := shortcutKey(row.chord); got != row.want {
			t.Errorf("%v gives %q, want %q", row.chord, got, row.want)
		}
	}
}

func TestLookUp(t *testing.T) {
	// Ensure that each key has the virtual key code of a US keyboard, which is what pages and the browser's own shortcuts go by.
	for name, want := range map[string]struct {
		code  string
		key   string
		num   int64
		shift bool
	}{
		"a": {"KeyA", "a", 65, false}, "A": {"KeyA", "A", 65, true}, "1": {"Digit1", "1", 49, false}, "!": {"Digit1", "!", 49, true},
		";": {"Semicolon", ";", 186, false}, ":": {"Semicolon", ":", 186, true}, "=": {"Equal", "=", 187, false}, "+": {"Equal", "+", 187, true},
		",": {"Comma", ",", 188, false}, "-": {"Minus", "-", 189, false}, ".": {"Period", ".", 190, false}, "/": {"Slash", "/", 191, false},
		"`": {"Backquote", "`", 192, false}, "[": {"BracketLeft", "[", 219, false}, `\`: {"Backslash", `\`, 220, false},
		"]": {"BracketRight", "]", 221, false}, "'": {"Quote", "'", 222, false}, `"`: {"Quote", `"`, 222, true},
		" ": {"Space", " ", 32, false}, "Space": {"Space", " ", 32, false}, "Enter": {"Enter", "Enter", 13, false}, "Return": {"Enter", "Enter", 13, false},
		"Tab": {"Tab", "Tab", 9, false}, "Esc": {"Escape", "Escape", 27, false}, "Backspace": {"Backspace", "Backspace", 8, false},
		"Delete": {"Delete", "Delete", 46, false}, "ArrowLeft": {"ArrowLeft", "ArrowLeft", 37, false}, "Home": {"Home", "Home", 36, false},
		"PageDown": {"PageDown", "PageDown", 34, false}, "F5": {"F5", "F5", 116, false},
		"Shift": {"ShiftLeft", "Shift", 16, false}, "Control": {"ControlLeft", "Control", 17, false}, "Alt": {"AltLeft", "Alt", 18, false}, "Meta": {"MetaLeft", "Meta", 91, false},
	} {
		k, err := lookupKey(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if k.Code != want.code || k.Key != want.key || k.Windows != want.num || k.Shift != want.shift {
			t.Errorf("%q: code %s, key %q, number %d, shift %t; want %+v", name, k.Code, k.Key, k.Windows, k.Shift, want)
		}
	}
}

func TestLookUpOfOtherCharacters(t *testing.T) {
	// Ensure that a character which no key of a US keyboard types has the code 0, so that it can neither delete nor move, and that other names are refused.
	for _, text := range []string{"é", "ß", "家", "€", "🍵", "’"} {
		k, err := lookupKey(text)
		if err != nil || k.Windows != 0 || k.Native != 0 || k.Text != text || k.Shift {
			t.Errorf("%q: %+v, %v", text, k, err)
		}
	}
	for _, name := range []string{"", "ENTER", "enter", "Foo", "ab", "\xff", "e\u0301"} {
		if k, err := lookupKey(name); !fault.Is(err, fault.InvalidKey) {
			t.Errorf("%q: %+v, %v", name, k, err)
		}
	}
}

func TestKeyEvents(t *testing.T) {
	// Ensure that a press types its text only without modifiers other than Shift, since a shortcut types nothing, and that letting go never does.
	for _, row := range []struct {
		name string
		bits int64
		text string
	}{
		{"a", 0, "a"}, {"A", bitShift, "A"}, {"Enter", 0, "\r"}, {"é", 0, "é"},
		{"a", bitControl, ""}, {"a", bitAlt, ""}, {"a", bitMeta, ""}, {"A", bitControl | bitShift, ""},
		{"ArrowLeft", 0, ""}, {"Shift", bitShift, ""}, {"Tab", 0, ""},
	} {
		k, err := lookupKey(row.name)
		if err != nil {
			t.Fatal(err)
		}
		want := input.DispatchKeyEventTypeRawKeyDown
		if row.text != "" {
			want = input.DispatchKeyEventTypeKeyDown
		}
		d, u := down(k, row.bits), up(k, row.bits)
		if d.Text != row.text || d.Type != want || d.Modifiers != row.bits || d.WindowsVirtualKeyCode != k.Windows {
			t.Errorf("%q with %d: down %+v", row.name, row.bits, d)
		}
		if u.Text != "" || u.Type != input.DispatchKeyEventTypeKeyUp || u.Code != d.Code || u.Modifiers != row.bits {
			t.Errorf("%q with %d: up %+v", row.name, row.bits, u)
		}
	}
}

func TestChordBits(t *testing.T) {
	// Ensure that the modifiers reach the protocol as its bits.
	c := chord{"a", []string{"Control", "Shift", "Alt", "Meta"}}
	if c.bits() != 15 || (chord{}).bits() != 0 {
		t.Errorf("bits %d", c.bits())
	}
}

func FuzzParseChord(f *testing.F) {
	for _, seed := range []string{"Control+A", "++", "+", "a+", "Shift+", "Meta+Shift+é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		// Ensure that whatever is typed becomes a key with known modifiers or a fault, and never nothing.
		c, err := parseChord(key, nil)
		if err != nil {
			if fault.From(err).Code != fault.InvalidKey {
				t.Fatalf("%q: %v", key, err)
			}
			return
		}
		if c.key == "" || !strings.HasSuffix(key, c.key) || len(c.modifiers) > 4 {
			t.Fatalf("%q became %+v", key, c)
		}
	})
}
