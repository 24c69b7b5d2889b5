package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/doctor"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/profile"
)

// shutdownTimeout is how long an ending host may take; the browser kills it after two
// seconds.
const shutdownTimeout = 1500 * time.Millisecond

// maxLogFile is the size above which the program's own log starts anew.
const maxLogFile = 4 << 20

// heapGrowth is by how many percent the heap may grow before it is collected: a
// host waits most of its life, one for each browser profile, as an MCP server does, one
// for each client, and memory counts for more than the odd collection.
const heapGrowth = 50

func keepHeapSmall() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}

// runNative is the native messaging host of one browser profile. It serves the
// exact pinned extension only and ends when the browser closes its end.
func runNative(ctx context.Context, caller string, stdin io.ReadCloser, stdout io.WriteCloser, stderr io.Writer) int {
	keepHeapSmall()
	if err := paths.CheckAbsolute(); err != nil {
		fmt.Fprintln(stderr, "actions-host:", err)
		return exitUsage
	}
	log := hostLog(stderr)
	if caller != manifest.ExtensionURL {
		log.Error("started for an extension that is not ours", "origin", caller)
		return exitUsage
	}
	log.Info(doctor.LogStarted, "browser_pid", os.Getppid(), "version", version)
	h, err := profile.Connect(ctx, pipe{stdin, stdout}, profileConfig(log))
	if err != nil {
		log.Error("connection", "error", err)
		return exitBroken
	}
	select {
	case <-h.Done():
	case <-ctx.Done():
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := h.Close(); err != nil {
			log.Error("closing", "error", err)
		}
	}()
	select {
	case <-ended:
		return exitDone
	case <-time.After(shutdownTimeout):
		log.Error("closing took too long")
		return exitBroken
	}
}

// profileConfig returns the configuration of a profile that this program serves.
func profileConfig(log *slog.Logger) profile.Config {
	return profile.Config{Log: log, Version: version, FirstRun: func() { firstRun(log) }}
}

// pipe is the browser's end: frames come in on one stream and go out on the
// other.
type pipe struct {
	io.ReadCloser
	out io.WriteCloser
}

func (p pipe) Write(b []byte) (int, error) { return p.out.Write(b) }

func (p pipe) Close() error {
	err := p.ReadCloser.Close()
	if outErr := p.out.Close(); err == nil {
		err = outErr
	}
	return err
}

// hostLog writes to stderr, which the browser shows, and to a file, in JSON for
// the doctor. A file that cannot be written never stops the host.
func hostLog(stderr io.Writer) *slog.Logger {
	var out slog.Handler = slog.NewTextHandler(stderr, nil)
	name := filepath.Join(paths.State(), "host.log")
	if err := paths.MakePrivate(filepath.Dir(name)); err == nil {
		flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
		if info, err := os.Stat(name); err == nil && info.Size() > maxLogFile {
			flags |= os.O_TRUNC
		}
		if file, err := os.OpenFile(name, flags, 0o600); err == nil {
			out = slog.NewMultiHandler(out, slog.NewJSONHandler(file, nil))
		} else {
			fmt.Fprintln(stderr, "actions-host: no log file:", err)
		}
	}
	return slog.New(out).With("pid", os.Getpid())
}
