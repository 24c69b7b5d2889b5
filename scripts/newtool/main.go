// Command newtool begins a primitive: it writes its record, its handler, the handler's line in
// the table of its route, and a conformance case that fails until the handler is written.
//
// Usage, from the repository's root (./scripts/new-tool also runs the generator):
//
//	go run ./scripts/newtool NAME --route page|host|debugger|browser --effect read|view|input|tab|state|code
//
// It writes all of it or nothing: a name that exists, or that is not dotted, is refused.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if err := run(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "new-tool:", err)
		os.Exit(1)
	}
}

// run writes the tool of a command line into the repository.
func run(root string, args []string) error {
	t, err := parse(args)
	if err != nil {
		return err
	}
	if err := t.place(root); err != nil {
		return err
	}
	files, err := t.files(root)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(root, name), files[name], 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", name)
	}
	return nil
}

// parse reads a command line, whose flags may stand before and behind the name.
func parse(args []string) (*tool, error) {
	flags := flag.NewFlagSet("new-tool", flag.ContinueOnError)
	route := flags.String("route", "", "what runs it: page, host, debugger or browser")
	effect := flags.String("effect", "", "what it changes: read, view, input, tab, state or code")
	var names []string
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if args = flags.Args(); len(args) > 0 {
			names, args = append(names, args[0]), args[1:]
		}
	}
	if len(names) != 1 {
		return nil, errors.New("give one name, such as page.word_count")
	}
	return newTool(names[0], *route, *effect)
}
