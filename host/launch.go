package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/install"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/printable"
)

// readyLine is what launch prints when its browser can be driven.
type readyLine struct {
	Ready       bool         `json:"ready"`
	ProfileID   string       `json:"profile_id"`
	Browser     string       `json:"browser"`
	UserDataDir string       `json:"user_data_dir"`
	Tabs        []launch.Tab `json:"tabs"`
}

func (a *app) launchCommand() *cobra.Command {
	var o launch.Options
	var storage, program, record string
	var allowCode bool
	cmd := &cobra.Command{
		Use: "launch URL...", Short: "Start a browser of its own, with these pages open and handed over",
		Long: "Start a browser of its own with the extension and this host, open the pages and hand\n" +
			"their tabs over. Prints one line of JSON when ready, stays in the foreground, and\n" +
			"ends the browser when it is ended. What a call needs to be allowed is printed below it,\n" +
			"with the code that approvals allow takes: whoever reads this output answers as the user.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, urls []string) error {
			var err error
			if o.Program, err = browserProgram(program); err != nil {
				return err
			}
			if o.Extension, err = extensionFolder(o.Extension); err != nil {
				return err
			}
			if storage != "" {
				full, err := filepath.Abs(storage)
				if err != nil {
					return err
				}
				if _, err := os.Stat(full); err != nil {
					fmt.Fprintf(a.stderr, "actions-host: the folder of the maps, %s, is not there: no map is used until it is\n", full)
				}
				o.Env = append(o.Env, paths.EnvStorage+"="+full)
			}
			if record != "" {
				full, err := filepath.Abs(record)
				if err != nil {
					return err
				}
				o.Env = append(o.Env, paths.EnvVoiceRecord+"="+full)
			}
			if allowCode {
				o.Env = append(o.Env, paths.EnvAllowCode+"=1")
			}
			self, err := ownPath()
			if err != nil {
				return err
			}
			if os.Getuid() == 0 {
				fmt.Fprintln(a.stderr, "actions-host: running as root: the browser starts with --no-sandbox")
			}
			o.URLs, o.Stderr = urls, nil
			o.Manifest = func(path string) error { return install.WriteManifest(path, self) }
			questions := newQuestionPrinter(a)
			o.OnQuestion = questions.print
			b, err := launch.Start(cmd.Context(), o)
			if err != nil {
				a.printFault(notReady(err))
				return status(exitBroken)
			}
			a.printJSON(readyLine{Ready: true, ProfileID: b.ProfileID, Browser: o.Program, UserDataDir: b.UserDataDir, Tabs: b.Tabs})
			questions.begin()
			select {
			case <-cmd.Context().Done():
			case <-b.Wait():
			}
			if err := b.Close(); err != nil {
				a.warn(err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&o.Headless, "headless", false, "without a window")
	cmd.Flags().StringVar(&storage, "storage", "", "folder of the action maps")
	cmd.Flags().StringVar(&record, "record", "", "folder in which each session of the hosted agent is recorded")
	cmd.Flags().BoolVar(&allowCode, "allow-code", false, "let callers that ask for it run JavaScript in the pages")
	cmd.Flags().StringVar(&o.UserDataDir, "user-data-dir", "", "the browser's profile folder (default: a temporary one)")
	cmd.Flags().StringVar(&o.Extension, "extension", "", "folder of the built extension (default: beside this program)")
	cmd.Flags().StringVar(&program, "browser", "", "the browser's program (default: the first Chromium found)")
	cmd.Flags().StringArrayVar(&o.Args, "chrome-arg", nil, "further argument of the browser; may be repeated (--enable-features=WebMCP switches page tools on)")
	return cmd
}

// notReady names a start that failed; a fault that says more stays.
func notReady(err error) *fault.Error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	return fault.Wrap(err, fault.BrowserNotConnected, "the browser did not get ready: %v", err)
}

// browserProgram finds the browser to start. Branded Chrome comes last: it
// refuses some of what unpacked extensions need.
func browserProgram(name string) (string, error) {
	if name != "" {
		return exec.LookPath(name)
	}
	platform, all, err := thisPlatform()
	if err != nil {
		return "", err
	}
	var sandboxed error
	for _, b := range all {
		if p, ok := platform.Program(b); ok && p.Sandbox == "" {
			return p.Path, nil
		}
		sandboxed = cmp.Or(sandboxed, checkSandbox(platform, b))
	}
	if sandboxed != nil {
		return "", sandboxed
	}
	return "", fault.New(fault.BrowserNotConnected, "no Chromium browser is on this machine").
		WithNextStep("Install one, such as chromium, or name its program with --browser.")
}

// extensionFolder finds the built extension: as named, or beside the program,
// as a release and as this repository have it.
func extensionFolder(name string) (string, error) {
	candidates := []string{name}
	if name == "" {
		self, err := ownPath()
		if err != nil {
			return "", err
		}
		dir := filepath.Dir(self)
		candidates = []string{filepath.Join(dir, "extension"), filepath.Join(dir, "..", "extension", "dist")}
	}
	for _, c := range candidates {
		if _, err := os.Stat(filepath.Join(c, "manifest.json")); err == nil {
			return filepath.Abs(c)
		}
	}
	return "", fault.New(fault.StorageUnavailable, "the built extension was not found in %s", strings.Join(candidates, " or ")).
		WithNextStep("Run ./scripts/build, or name its folder with --extension.")
}

// questionLine is what launch --json prints of a call that waits for the user.
type questionLine struct {
	Question launch.Question `json:"question"`
}

// questionPrinter prints the questions of a launched browser, after its ready line.
type questionPrinter struct {
	app     *app
	mu      sync.Mutex
	begun   bool
	waiting []launch.Question
}

func newQuestionPrinter(a *app) *questionPrinter { return &questionPrinter{app: a} }

// begin prints what came before the ready line, and from now on all at once.
func (p *questionPrinter) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun = true
	for _, q := range p.waiting {
		p.write(q)
	}
}

func (p *questionPrinter) print(q launch.Question) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun {
		p.waiting = append(p.waiting, q)
		return
	}
	p.write(q)
}

func (p *questionPrinter) write(q launch.Question) {
	if p.app.json {
		p.app.printJSON(questionLine{q})
		return
	}
	fmt.Fprintf(p.app.stdout, "? %s on %s %v, refused in %s\n    %s\n    actions-host approvals allow %s --code %s\n",
		printable.Escape(q.Name), q.Origin, q.Effects, time.Until(q.ExpiresAt).Round(time.Second), printable.Escape(q.Summary), q.ID, q.Code)
}
