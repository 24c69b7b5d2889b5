package primitives

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Bits of the protocol's modifiers field.
const (
	bitAlt     = 1
	bitControl = 2
	bitMeta    = 4
	bitShift   = 8
)

// chord is a key with its modifiers, in the order in which they are held.
type chord struct {
	key       string
	modifiers []string // Alt, Control, Meta, Shift
}

// modifierNames maps what callers write to the names of the keys.
var modifierNames = map[string]string{
	"alt": "Alt", "option": "Alt", "control": "Control", "ctrl": "Control",
	"meta": "Meta", "cmd": "Meta", "command": "Meta", "shift": "Shift",
}

var modifierBits = map[string]int64{"Alt": bitAlt, "Control": bitControl, "Meta": bitMeta, "Shift": bitShift}

// parseChord splits "Control+A"; "+" and "Control++" name the plus key.
func parseChord(key string, modifiers []string) (chord, error) {
	var c chord
	add := func(name string) error {
		full, ok := modifierNames[strings.ToLower(strings.TrimSpace(name))]
		if !ok {
			return fault.New(fault.InvalidInput, "%q is not a modifier: use Alt, Control, Meta or Shift", name)
		}
		if !slices.Contains(c.modifiers, full) {
			c.modifiers = append(c.modifiers, full)
		}
		return nil
	}
	for _, m := range modifiers {
		if err := add(m); err != nil {
			return c, err
		}
	}
	for {
		head, rest, found := strings.Cut(key, "+")
		if !found || head == "" || rest == "" {
			break
		}
		if err := add(head); err != nil {
			return c, fault.New(fault.InvalidKey, "%q is not a key or a chord", key)
		}
		key = rest
	}
	if key == "" {
		return c, fault.New(fault.InvalidKey, "the key is empty")
	}
	c.key = key
	return c, nil
}

// resolveKey returns the chord and the physical key for the caller's names.
func resolveKey(name string, modifiers []string) (chord, *kb.Key, error) {
	ch, err := parseChord(name, modifiers)
	if err != nil {
		return ch, nil, err
	}
	ch.key = shortcutKey(ch)
	key, err := lookupKey(ch.key)
	if err != nil {
		return ch, nil, err
	}
	if key.Shift && !slices.Contains(ch.modifiers, "Shift") {
		ch.modifiers = append(ch.modifiers, "Shift")
	}
	return ch, key, nil
}

// shortcutKey returns the key of a shortcut as it is pressed: Control+A means the key a,
// without Shift.
func shortcutKey(c chord) string {
	if len(c.modifiers) > 0 && !slices.Contains(c.modifiers, "Shift") && utf8.RuneCountInString(c.key) == 1 {
		return strings.ToLower(c.key)
	}
	return c.key
}

func (c chord) bits() int64 {
	var bits int64
	for _, m := range c.modifiers {
		bits |= modifierBits[m]
	}
	return bits
}

// namedKeys finds a key by its UI Events name, such as ArrowDown.
var namedKeys = sync.OnceValue(func() map[string]*kb.Key {
	names := map[string]*kb.Key{}
	for _, k := range kb.Keys {
		if utf8.RuneCountInString(k.Key) > 1 && !k.Shift {
			names[k.Key] = k
		}
	}
	// The table has the codes of the left-hand keys; pages see the common ones.
	for name, code := range map[string]int64{"Shift": 16, "Control": 17, "Alt": 18, "Meta": 91} {
		k := *names[name]
		k.Windows, k.Native = code, code
		names[name] = &k
	}
	names["Space"] = kb.Keys[' ']
	names["Esc"] = names["Escape"]
	names["Return"] = names["Enter"]
	return names
})

// lookupKey returns the physical key for a name or a single character. A character
// that no key of a US keyboard produces has code 0 and types itself: a wrong
// virtual key code would move the caret or delete.
func lookupKey(name string) (*kb.Key, error) {
	if k, ok := namedKeys()[name]; ok {
		return k, nil
	}
	r, size := utf8.DecodeRuneInString(name)
	if size != len(name) || r == utf8.RuneError {
		return nil, fault.New(fault.InvalidKey, "there is no key named %q", name)
	}
	if k, ok := kb.Keys[r]; ok {
		return k, nil
	}
	return &kb.Key{Key: name, Text: name, Unmodified: name, Print: true}, nil
}

// down and up are the events of one press. Text is left out while a modifier
// other than Shift is held: the browser treats the press as a shortcut then.
func down(k *kb.Key, bits int64) input.DispatchKeyEventParams {
	e := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Modifiers: bits, Key: k.Key, Code: k.Code,
		WindowsVirtualKeyCode: k.Windows, NativeVirtualKeyCode: k.Native,
	}
	if k.Text != "" && bits&^bitShift == 0 {
		e.Type, e.Text, e.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, k.Text, k.Unmodified
	}
	return e
}

func up(k *kb.Key, bits int64) input.DispatchKeyEventParams {
	return input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyUp, Modifiers: bits, Key: k.Key, Code: k.Code,
		WindowsVirtualKeyCode: k.Windows, NativeVirtualKeyCode: k.Native,
	}
}
