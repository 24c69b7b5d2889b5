// Package planted holds the secrets that tests plant and look for afterwards, in a table
// that tells by which rule each is known. No one of them is real.
package planted

import (
	"bytes"
	_ "embed" // the table
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed secrets.json
var table []byte

// Secret is one of the table. It has either a text or a field.
type Secret struct {
	Rule     string `json:"rule"`
	Text     string `json:"text,omitzero"`     // what is around it, which the rule needs
	HTML     string `json:"html,omitzero"`     // the field that it is put into
	Language string `json:"language,omitzero"` // of the field's name
	Secret   string `json:"secret"`
}

// place is where a text has its secret.
const place = "{}"

// All returns the table.
func All() (all []Secret) {
	if err := json.Unmarshal(table, &all); err != nil {
		panic(err) // the table is part of the program
	}
	return all
}

// Texts returns those that are known by their form or by the words around them, and Fields
// those that are known by the field that they are in.
func Texts() []Secret { return where(func(s Secret) bool { return s.Text != "" }) }

// Fields returns those that are known by the field that they are in.
func Fields() []Secret { return where(func(s Secret) bool { return s.HTML != "" }) }

func where(is func(Secret) bool) (some []Secret) {
	for _, s := range All() {
		if is(s) {
			some = append(some, s)
		}
	}
	return some
}

// InText returns the text with the secret in its place.
func (s Secret) InText() string { return strings.ReplaceAll(s.Text, place, s.Secret) }

// In reports whether a text holds the secret. A number counts only as a whole: the digits of
// a time may hold any.
func (s Secret) In(text []byte) bool {
	for rest := text; ; {
		at := bytes.Index(rest, []byte(s.Secret))
		if at < 0 {
			return false
		}
		end := at + len(s.Secret)
		if !isDigit(s.Secret[0]) || (at == 0 || !isDigit(rest[at-1])) && (end == len(rest) || !isDigit(rest[end])) {
			return true
		}
		rest = rest[at+1:]
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Found is a file that holds a secret.
type Found struct {
	File   string
	Secret Secret
}

// InFiles looks for the secrets in every file below the folder, and returns how many files
// there are.
func InFiles(folder string, secrets []Secret) (found []Found, files int, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, s := range secrets {
			if s.In(text) {
				found = append(found, Found{path, s})
			}
		}
		return nil
	})
	return found, files, err
}
