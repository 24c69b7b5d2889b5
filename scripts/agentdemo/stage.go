package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/sites"
)

// stage is where the demo plays.
type stage struct {
	reporter *reporter
	program  string
	home     string
	env      []string // of the program, wherever it is started
	shop     string   // its address
	received *sites.Recorder
	browser  *launch.Browser
}

func newStage(r *reporter, program string) (*stage, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "ah-") // short: a socket's address has 107 bytes
	if err != nil {
		return nil, err
	}
	r.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			r.Error(err)
		}
	})
	maps, err := filepath.Abs("test/sites/storage")
	if err != nil {
		return nil, err
	}
	s := &stage{reporter: r, program: program, home: home, received: sites.NewRecorder(nil)}
	s.env = []string{paths.EnvHome + "=" + home, paths.EnvStorage + "=" + maps}
	server := httptest.NewServer(sites.Teahouse(s.received))
	r.Cleanup(server.Close)
	s.shop = strings.Replace(server.URL, "127.0.0.1", "localhost", 1) + "/"
	return s, nil
}

// service makes the program use another voice service than the real one.
func (s *stage) service(base string) error {
	return s.data("settings.json", map[string]string{"voice_base": base})
}

// record makes the program record the session into the folder.
func (s *stage) record(folder string) error {
	full, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	s.env = append(s.env, paths.EnvVoiceRecord+"="+full)
	return nil
}

// open starts the browser; its microphone is the computer's or one that plays an
// utterance over and over.
func (s *stage) open(ctx context.Context, headed, utterance bool) error {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if browser, err = exec.LookPath("google-chrome"); err != nil {
			return err
		}
	}
	var args []string
	if utterance {
		file := filepath.Join(s.home, "utterance.wav")
		if err := os.WriteFile(file, utteranceWAV(), 0o600); err != nil {
			return err
		}
		args = []string{
			"--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--allow-loopback-in-peer-connection",
			"--use-file-for-fake-audio-capture=" + file,
		}
	}
	s.browser, err = launch.Start(ctx, launch.Options{
		Program: browser, Extension: filepath.Join(filepath.Dir(s.program), "..", "extension", "dist"),
		Headless: !headed, URLs: []string{s.shop}, Args: args, Env: s.env, Manifest: s.install,
	})
	if err != nil {
		return err
	}
	s.reporter.Cleanup(func() {
		if err := s.browser.Close(); err != nil {
			s.reporter.Error(err)
		}
	})
	return nil
}

// install registers the program with the browser.
func (s *stage) install(file string) error {
	text, err := json.Marshal(map[string]any{
		"name": manifest.HostName, "description": "demo", "path": s.program, "type": "stdio",
		"allowed_origins": []string{manifest.ExtensionURL},
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// call makes one call from the terminal and returns its output.
func (s *stage) call(ctx context.Context, name, arguments string) (json.RawMessage, error) {
	cmd := exec.CommandContext(ctx, s.program, "call", name, arguments, "--json")
	cmd.Env = append(os.Environ(), s.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	failed := cmd.Run() // a call that was refused ends so too; its envelope says more
	var e dispatch.Envelope
	if err := json.Unmarshal(out.Bytes(), &e); err != nil {
		return nil, errors.Join(failed, fmt.Errorf("%s: %s%s", name, out.Bytes(), errs.Bytes()))
	}
	if !e.OK {
		return nil, fmt.Errorf("%s: %w", name, e.Error)
	}
	return e.Output, nil
}

// printVoiceReport prints the events of the session that a client gets, and the orders that the shop received.
func (s *stage) printVoiceReport(ctx context.Context) error {
	raw, err := s.call(ctx, "runtime.agent.await_event", `{"cursor":-1}`)
	if err != nil {
		return err
	}
	var feed struct {
		Events []struct {
			Kind    string          `json:"kind"`
			Payload json.RawMessage `json:"payload"`
		} `json:"events"`
	}
	if err := json.Unmarshal(raw, &feed); err != nil {
		return err
	}
	heading("The session as clients hear of it: states, transcript, tool calls")
	for _, e := range feed.Events {
		fmt.Printf("%-10s %s\n", e.Kind, e.Payload)
	}
	heading("What the page's server received")
	for _, r := range s.received.All() {
		fmt.Printf("%s %s %s\n", r.Method, r.Path, r.Body)
	}
	return nil
}
