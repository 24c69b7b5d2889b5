package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// update rewrites the expected outputs in testdata/script instead of comparing.
var update = flag.Bool("update", false, "rewrite the expected outputs of the scripts")

// TestMain lets the scripts run the program as a process of its own, although
// no program was built: the test binary is the program under that name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"actions-host": main})
}

func TestScripts(t *testing.T) {
	// Ensure that each command prints and exits as its script says, in a home
	// of its own and on a machine without any browser.
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"), UpdateScripts: *update, RequireExplicitExec: true,
		RequireUniqueNames: true, Setup: home,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// home provides the script with its own folders and hides the machine's programs:
// whether a browser is installed must not show in what is expected.
func home(env *testscript.Env) error {
	program, err := exec.LookPath("actions-host")
	if err != nil {
		return err
	}
	// The program names itself by its real path.
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return err
	}
	// doctor refuses a program that others can change, whatever the umask was.
	if err := os.Chmod(program, 0o755); err != nil {
		return err
	}
	dir := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	env.Setenv("PATH", filepath.Dir(program))
	env.Setenv("PROGRAM", program)
	env.Setenv("ID", manifest.ExtensionID)
	env.Setenv("HOME", dir)
	// What install copies: the parts of an extension that tell it from others.
	extension := filepath.Join(env.WorkDir, "built", "extension")
	if err := os.MkdirAll(extension, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"manifest.json": `{"name":"x","version":"0.1.0","key":"` + manifest.ExtensionKey + `"}`, "worker.js": "//",
	} {
		if err := os.WriteFile(filepath.Join(extension, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	env.Setenv("EXTENSION", extension)
	env.Setenv(paths.EnvHome, filepath.Join(env.WorkDir, "ah"))
	return nil
}

// exits runs a program and checks its exact exit status: "exits 2 actions-host
// call". A status is part of what scripts rely on, so "it failed" is not enough.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM [ARGS...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
