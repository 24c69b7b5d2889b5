package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBrokenChain(t *testing.T) {
	// Ensure that a log whose file is sound and whose chain is broken at its end is set aside at a start and goes on without what was changed, which is named, and that the new file is sound.
	const count = 60
	for name, c := range map[string]struct {
		change  func(text []byte) // of the whole file
		missing [][2]uint64
	}{
		"text": {func(text []byte) {
			edit(text, fmt.Sprintf(`"n%d"`, count), fmt.Sprintf(`"N%d"`, count))
		}, [][2]uint64{{count, count}}},
		"hash": {func(text []byte) {
			at := bytes.LastIndex(text, []byte(fmt.Sprintf(`{"seq":%d,`, count-5)))
			text[at-1] ^= 1
		}, [][2]uint64{{count - 5, count - 5}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := written(t, count)
			b.damage(t, func(text []byte) []byte { c.change(text); return text })
			j := openAt(t, b.path, Options{})
			found := j.Damage()
			if found == nil || !found.Broken() || found.MovedTo == "" || !slices.Equal(found.Missing, c.missing) {
				t.Fatalf("the start found %+v", found)
			}
			verified(t, &j.Reader)
			if _, err := os.Stat(filepath.Join(filepath.Dir(b.path), found.MovedTo)); err != nil {
				t.Error(err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			if again := openAt(t, b.path, Options{}); again.Damage() != nil {
				t.Errorf("the next start found %s", again.Damage())
			}
		})
	}
}

// edit replaces each occurrence of a text in a file by another one of its length.
func edit(text []byte, old, other string) []byte {
	copy(text, strings.ReplaceAll(string(text), old, other))
	return text
}
