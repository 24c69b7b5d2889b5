// Command generate writes the Go and TypeScript types of everything that
// manifest/ declares, the reference pages of the primitives, the error codes and
// the limits, and the labels of the primitives in every locale.
//
// Usage, from the repository's root:
//
//	go run ./scripts/generate          write the files
//	go run ./scripts/generate -check   fail if a file would change
//
// The protocol's schemas use a small part of JSON Schema on purpose: objects
// with declared properties, arrays, references, enums and scalars. An object
// without properties of its own is passed on as it came (json.RawMessage).
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"slices"
)

func main() {
	check := flag.Bool("check", false, "compare only; exit 1 on any difference")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	if err := lintRecords("manifest"); err != nil {
		return err
	}
	contract, err := load("manifest")
	if err != nil {
		return err
	}
	files := contract.files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		if bytes.HasSuffix([]byte(name), []byte(".go")) {
			if text, err = format.Source(text); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		old, _ := os.ReadFile(name)
		if bytes.Equal(old, text) {
			continue
		}
		if check {
			return fmt.Errorf("%s differs from what manifest/ declares: run go run ./scripts/generate", name)
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", name)
	}
	return nil
}

// files returns the text of every generated file by its place.
func (c *contract) files() map[string][]byte {
	files := map[string][]byte{
		"manifest/protocol/protocol_gen.go": c.goProtocol(),
		"manifest/README.md":                c.errorPage(),
		"manifest/primitives/README.md":     c.reference(),
		"manifest/actions.schema.json":      c.mapFormat(),
		"manifest/actions.schema.md":        c.formatPage(),
		"manifest/credentials_gen.go":       c.goCredentials(),
		"pkg/redact/words_gen.go":           c.goSecretWords(),
		"pkg/fault/codes_gen.go":            c.goCodes(),
		releasedList:                        c.releasedCodes(),
		"extension/src/protocol.d.ts":       c.tsProtocol(),
		"extension/src/contract.ts":         c.tsContract(),
	}
	for name := range c.locales {
		files[name] = c.messages(name)
	}
	return files
}
