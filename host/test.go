package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/install"
	"github.com/actionsjson/actions-host/pkg/maptest"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/printable"
	"github.com/actionsjson/actions-host/pkg/savedpage"
	"github.com/actionsjson/actions-host/pkg/testbrowser"
)

// testFlags are the flags of test.
type testFlags struct {
	run, base, junit   string
	program, extension string
	timeout            time.Duration
	allowCode          bool
}

func (a *app) testCommand() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use: "test [MAP...]", Short: "Run the cases of maps in a browser of its own",
		Long: "Run the cases that stand in actions.test.json beside each MAP: a map, its folder, or any\n" +
			"folder above; the folder of the maps without one. manifest/actions.test.md has the format.\n\n" +
			"The cases run without a window, in a browser of its own with an empty profile, each in a\n" +
			"fresh tab. Its settings and policy are its own, too: it may operate the pages of the\n" +
			"cases and the sites of the maps, and nothing else; nobody is asked, so that what needs an\n" +
			"approval is refused. A saved page keeps the address that it was saved from, and its\n" +
			"browser reaches nothing but the saved pages.\n\n" +
			"The exit status is 0 when all cases pass, 1 when one fails, 2 for a wrong command line or\n" +
			"a file of cases with mistakes, 3 without a browser.",
		Example: "  actions-host test storage/scopes/private/sites/tea.example/shop\n" +
			"  actions-host test --run 'search*' --base http://localhost:8080 --junit results.xml actions.json",
		RunE: func(cmd *cobra.Command, args []string) error { return a.test(cmd, args, f) },
	}
	cmd.Flags().StringVar(&f.run, "run", "", "only the cases whose name or action matches, with * for any signs and ? for one")
	cmd.Flags().StringVar(&f.base, "base", "", "where the site is served, such as http://localhost:8080: pages that begin with / are opened there")
	cmd.Flags().StringVar(&f.junit, "junit", "", "also write the results to this file, in the form of JUnit")
	cmd.Flags().DurationVar(&f.timeout, "timeout", maptest.DefaultTimeout, "time limit of a case that names none")
	cmd.Flags().BoolVar(&f.allowCode, "allow-code", false, "let actions run JavaScript")
	cmd.Flags().StringVar(&f.extension, "extension", "", "folder of the built extension (default: beside this program)")
	cmd.Flags().StringVar(&f.program, "browser", "", "the browser's program (default: the first Chromium found)")
	cmd.AddCommand(a.testSaveCommand())
	return cmd
}

func (a *app) test(cmd *cobra.Command, args []string, f testFlags) error {
	if _, err := path.Match(f.run, ""); err != nil {
		return fmt.Errorf("--run %q is no pattern: write * for any signs and ? for one", f.run)
	}
	if f.timeout <= 0 || f.timeout > 10*time.Minute {
		return fmt.Errorf("--timeout takes more than nothing and at most 10m")
	}
	if len(args) == 0 {
		args = []string{paths.Storage()}
	}
	suites, mistakes, err := testbrowser.ReadSuites(args, f.base)
	if err != nil {
		return err
	}
	if len(mistakes) > 0 {
		return a.printMistakes(mistakes)
	}
	count := 0
	for i := range suites {
		suites[i].Cases = selected(suites[i].Cases, f.run)
		count += len(suites[i].Cases)
	}
	if count == 0 {
		return fmt.Errorf("no case matches --run %q", f.run)
	}
	o := testbrowser.Options{AllowCode: f.allowCode, Timeout: f.timeout, Warn: a.warn}
	if o.Program, err = browserProgram(f.program); err != nil {
		return err
	}
	if o.Extension, err = extensionFolder(f.extension); err != nil {
		return err
	}
	self, err := ownPath()
	if err != nil {
		return err
	}
	o.Manifest = func(path string) error { return install.WriteManifest(path, self) }
	p := &resultPrinter{app: a}
	if !a.json {
		o.Report = p.print
	}
	results, err := testbrowser.Run(cmd.Context(), o, suites)
	var ended *fault.Error
	if err != nil {
		ended = notReady(err)
	}
	if f.junit != "" {
		text, err := maptest.JUnit(results)
		if err == nil {
			err = os.WriteFile(f.junit, text, 0o644)
		}
		if err != nil {
			return fault.Wrap(err, fault.StorageUnavailable, "%s cannot be written: %v", f.junit, err)
		}
	}
	return a.finishTest(results, count, ended)
}

// selected returns the cases whose name or action matches.
func selected(cases []testbrowser.Case, pattern string) (some []testbrowser.Case) {
	for _, c := range cases {
		byName, _ := path.Match(pattern, c.Name) // the pattern was checked
		byAction, _ := path.Match(pattern, c.Action)
		if pattern == "" || byName || byAction {
			some = append(some, c)
		}
	}
	return some
}

// finishTest prints the sum, and why not all cases ran, and returns the exit status.
func (a *app) finishTest(results []maptest.Suite, count int, ended *fault.Error) error {
	ran, failed := 0, 0
	for _, s := range results {
		ran += len(s.Results)
		failed += s.Failed()
	}
	if a.json {
		sum := map[string]any{"ok": failed == 0 && ended == nil, "passed": ran - failed, "failed": failed, "maps": results}
		if ended != nil {
			sum["error"], sum["not_run"] = ended, count-ran
		}
		a.printJSON(sum)
	} else {
		fmt.Fprintf(a.stdout, "%d passed, %d failed", ran-failed, failed)
		if ended != nil {
			fmt.Fprintf(a.stdout, ", %d not run", count-ran)
		}
		fmt.Fprintln(a.stdout)
		if ended != nil {
			a.printFault(ended)
		}
	}
	switch {
	case ended != nil && ended.Code != fault.Cancelled:
		return status(exitBroken)
	case ended != nil || failed > 0:
		return status(exitFailed)
	}
	return nil
}

// resultPrinter prints results as they come, below the name of their map.
type resultPrinter struct {
	app  *app
	last string
}

func (p *resultPrinter) print(mapFile string, r maptest.Result) {
	if mapFile != p.last {
		fmt.Fprintf(p.app.stdout, "%s\n", mapFile)
		p.last = mapFile
	}
	mark := "✓"
	if !r.OK {
		mark = "✗"
	}
	fmt.Fprintf(p.app.stdout, "  %s %s: %s (%d ms)\n", mark, printable.Escape(r.Action), printable.Escape(r.Name), int(r.DurationMS))
	for _, d := range r.Differences {
		fmt.Fprintf(p.app.stdout, "      %s\n", printable.Escape(d))
	}
	if r.NextStep != "" {
		fmt.Fprintf(p.app.stdout, "      %s\n", printable.Escape(r.NextStep))
	}
}

// printMistakes prints what is wrong with the files; nothing was run.
func (a *app) printMistakes(mistakes []testbrowser.Mistake) error {
	if a.json {
		a.printJSON(map[string]any{"ok": false, "mistakes": mistakes})
		return status(exitUsage)
	}
	for _, m := range mistakes {
		at := m.Pointer
		if at == "" {
			at = "/"
		}
		fmt.Fprintf(a.stderr, "✗ %s:%d:%d: %s: %s\n", m.File, m.Line, m.Column, printable.Escape(at), printable.Escape(m.Message))
	}
	fmt.Fprintln(a.stderr, "  Nothing was run. Correct the files; manifest/actions.test.md has the format.")
	return status(exitUsage)
}

func (a *app) testSaveCommand() *cobra.Command {
	var f callFlags
	var name, mapFile string
	cmd := &cobra.Command{
		Use: "save [ACTION [ARGS]]", Short: "Make a case, and a saved page, of the claimed page", Args: cobra.MaximumNArgs(2),
		Long: "Make a case of the claimed page as it stands, and save the page beside the map, with its\n" +
			"styles and without its scripts. What fields hold, also where the page repeats it, hidden\n" +
			"values, tokens, mail addresses and card numbers are taken out, and the command tells how\n" +
			"much. What was typed into a field that is gone, and a name in a greeting, are known by\n" +
			"nothing: read the page before you share it.\n\n" +
			"ARGS is the input, made up by you; without it one is made up from the action's schema. It is\n" +
			"never taken from the page or the log. Without ACTION there is a case for each action of the\n" +
			"map that only reads. What the case expects is for you to write: until then, not nothing.",
		Example: "  actions-host test save teahouse.search '{\"query\":\"oolong\"}' --name 'finds oolong'",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.saveTest(cmd.Context(), f, name, mapFile, args)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&name, "name", "", "name of the case (default: from the action)")
	cmd.Flags().StringVar(&mapFile, "map", "", "the map's file (default: the page's map that has the action)")
	return cmd
}

func (a *app) saveTest(ctx context.Context, f callFlags, name, mapFile string, args []string) error {
	client, err := a.client(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	page, err := savedpage.Take(ctx, client, f.params())
	if err != nil {
		return err
	}
	action, input := "", json.RawMessage(nil)
	if len(args) > 0 {
		action = args[0]
	}
	if len(args) > 1 {
		if input, err = argumentsOf(args[1:]); err != nil {
			return err
		}
	}
	if mapFile == "" {
		if mapFile, err = savedpage.MapOf(page.URL, client.Status.StorageRoot, action); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(mapFile)
	if err != nil {
		return err
	}
	m, err := actionmap.Parse(text)
	if err != nil {
		return err
	}
	cases, err := savedpage.NewCases(m, page, name, action, input)
	if err != nil {
		return err
	}
	saved, err := savedpage.Write(mapFile, page, cases)
	if err != nil {
		return err
	}
	a.printSaved(saved)
	return nil
}

// takenWords name what was taken out, for a person.
var takenWords = map[string]string{
	"scripts": "scripts and embedded content", "handlers": "handlers", "values": "values of fields", "secrets": "values of secret fields",
	"hidden_values": "hidden values", "typed_texts": "places with what was typed", "frames": "frames of other origins", "styles": "style sheets of other origins",
	savedpage.Secrets: "texts with a secret", savedpage.Mails: "mail addresses and telephone numbers", savedpage.Addresses: "addresses with a secret", savedpage.Opaque: "tokens",
}

func (a *app) printSaved(s savedpage.Written) {
	if a.json {
		a.printJSON(map[string]any{"ok": true, "saved": s})
		return
	}
	for _, name := range s.Cases {
		fmt.Fprintf(a.stdout, "✓ %s\n", name)
	}
	fmt.Fprintf(a.stdout, "  in %s, on the page %s\n", s.File, s.Page)
	for _, kept := range s.Kept {
		fmt.Fprintf(a.stdout, "  the last version is %s\n", kept)
	}
	a.printTaken(s.Taken)
	fmt.Fprintf(a.stdout, "Read the page before you share it: names in its own words stay. Then write what each case expects, and run\nactions-host test %s\n", quoted(filepath.Dir(s.File)))
}

// printTaken prints what was taken out.
func (a *app) printTaken(taken map[string]int) {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(taken)) {
		if taken[kind] > 0 {
			word := takenWords[kind]
			if word == "" {
				word = kind // of a newer extension
			}
			list = append(list, fmt.Sprintf("%d %s", taken[kind], word))
		}
	}
	if len(list) == 0 {
		list = []string{"nothing"}
	}
	fmt.Fprintf(a.stdout, "  taken out: %s\n", strings.Join(list, ", "))
}
