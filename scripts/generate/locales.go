package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// sourceLocale is the locale whose labels are those of the records. In the others a label that
// is there stays as its translator wrote it; a new one begins in English.
const sourceLocale = "extension/_locales/en/messages.json"

// labels are what a record says a person reads while the primitive runs.
type labels struct {
	Tool      string `json:"tool"`
	WithParam string `json:"tool.with_param"`
}

// labelLine is a label in a file of messages, on a line of its own.
var labelLine = regexp.MustCompile(`(?m)^  "(tool_\w+)": \{.*\},\n`)

// labelArgument is the argument in a label.
var labelArgument = regexp.MustCompile(`\{(\w+)\}`)

// labelKey returns the key of a primitive's label: Chrome allows no dots in one.
func labelKey(name string) string { return "tool_" + strings.ReplaceAll(name, ".", "_") }

// labelEntry returns the line of a label in English.
func labelEntry(key, text string) string {
	found := labelArgument.FindStringSubmatch(text)
	if found == nil {
		return fmt.Sprintf("  %q: { \"message\": %q },\n", key, text)
	}
	text = strings.Replace(text, found[0], placeholderOf(found[1]), 1)
	return fmt.Sprintf("  %q: { \"message\": %q, \"placeholders\": { %q: { \"content\": \"$1\" } } },\n", key, text, found[1])
}

func placeholderOf(argument string) string { return "$" + strings.ToUpper(argument) + "$" }

// labelEntries returns the lines of all labels in English, in the order of the records.
func (c *contract) labelEntries() (keys, lines []string) {
	add := func(key, text string) {
		if text != "" {
			keys, lines = append(keys, key), append(lines, labelEntry(key, text))
		}
	}
	for _, p := range c.primitives {
		add(labelKey(p.Name), p.Labels.Tool)
		add(labelKey(p.Name)+"_with", p.Labels.WithParam)
	}
	return keys, lines
}

// messages returns a locale's file with the labels of all records in place of those that it
// has. The rest of the file is written by hand.
func (c *contract) messages(name string) []byte {
	old := c.locales[name]
	written := map[string]string{}
	for _, found := range labelLine.FindAllSubmatch(old, -1) {
		written[string(found[1])] = string(found[0])
	}
	keys, lines := c.labelEntries()
	var block bytes.Buffer
	for i, line := range lines {
		if own, ok := written[keys[i]]; ok && name != sourceLocale && samePlaceholder(own, line) {
			line = own
		}
		block.WriteString(line)
	}
	at := labelLine.FindIndex(old)
	if at == nil { // before what is written by hand
		at = []int{2, 2}
	}
	return append(append(bytes.Clone(old[:at[0]]), block.Bytes()...), labelLine.ReplaceAll(old[at[0]:], nil)...)
}

// entryPlaceholder is the name of a line's placeholder.
var entryPlaceholder = regexp.MustCompile(`"placeholders": \{ "(\w+)"`)

// samePlaceholder reports whether a translated label takes what the English one takes.
func samePlaceholder(translated, english string) bool {
	want := entryPlaceholder.FindStringSubmatch(english)
	if want == nil {
		return !entryPlaceholder.MatchString(translated)
	}
	has := entryPlaceholder.FindStringSubmatch(translated)
	return has != nil && has[1] == want[1] && strings.Contains(translated, placeholderOf(want[1]))
}

// readLocales reads the files of all locales.
func (c *contract) readLocales() error {
	names, err := filepath.Glob("extension/_locales/*/messages.json")
	if err != nil {
		return err
	}
	c.locales = map[string][]byte{}
	for _, name := range names {
		name = filepath.ToSlash(name)
		if c.locales[name], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	return nil
}
