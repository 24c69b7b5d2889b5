package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/logview"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// logSource is a profile's log: through its host while that runs, which holds
// the file, else the file itself.
type logSource struct {
	client *control.Client
	file   *journal.Reader
}

// openLog finds the log of the selected profile.
func (a *app) openLog(ctx context.Context) (*logSource, error) {
	running, err := control.Discover(ctx, paths.Sockets())
	if err != nil {
		return nil, err
	}
	if running = control.Choose(running, a.wants); len(running) > 0 {
		client, err := one(running)
		return &logSource{client: client}, err
	}
	names, err := databases(a.profile)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fault.New(fault.StorageUnavailable, "there is no log yet in %s", paths.State()).
			WithNextStep("The log starts with the first browser that connects.")
	}
	if len(names) > 1 {
		// Each browser of actions-host launch is a profile of its own.
		fmt.Fprintf(a.stderr, "actions-host: of the logs of %d profiles the one written last, %s; --profile names another\n", len(names), filepath.Base(names[0]))
	}
	file, err := journal.ReadFile(names[0], 0)
	if err != nil {
		return nil, err
	}
	if found := file.Damage(); found != nil {
		fmt.Fprintf(a.stderr, "actions-host: the log %s is damaged: %s; what can be read of it is shown\n", names[0], found)
	}
	return &logSource{file: file}, nil
}

// damage returns the record that replaces the unreadable rest of a broken file; nil
// where the log is whole.
func (s *logSource) damage() *journal.Record {
	if s.file == nil {
		return nil
	}
	return s.file.DamagedRecord(time.Now())
}

func (s *logSource) close() {
	if s.client != nil {
		s.client.Close()
		return
	}
	s.file.Close()
}

// read returns the records that match the parameters, in order.
func (s *logSource) read(ctx context.Context, p control.LogParams, each func(journal.Record) error) error {
	if s.client != nil {
		return s.client.Log(ctx, p, each)
	}
	for {
		page, err := control.ReadLog(ctx, s.file, p)
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			if err := each(r); err != nil {
				return err
			}
		}
		if p.From = page.Next; p.From == 0 {
			return nil
		}
	}
}

func (s *logSource) sessions(ctx context.Context, f journal.Filter) ([]*logview.Session, error) {
	if s.client == nil {
		return control.Sessions(ctx, s.file, f)
	}
	var answer control.LogSessions
	err := s.client.Call(ctx, control.MethodLogSessions, control.LogFilter{Filter: f}, &answer)
	return answer.Sessions, err
}

func (s *logSource) verify(ctx context.Context) (report journal.Report, err error) {
	if s.client == nil {
		return s.file.Verify(ctx)
	}
	err = s.client.Call(ctx, control.MethodLogVerify, control.Empty{}, &report)
	return report, err
}

// session returns the whole id of a session that is named by the start of it.
func (s *logSource) session(ctx context.Context, start string) (string, error) {
	if start == "" {
		return "", nil
	}
	var known control.LogSessionIDs
	var err error
	if s.client != nil {
		err = s.client.Call(ctx, control.MethodLogSessionIDs, control.Empty{}, &known)
	} else {
		known.IDs, err = s.file.SessionIDs(ctx)
	}
	if err != nil || slices.Contains(known.IDs, start) {
		return start, err
	}
	matching := slices.DeleteFunc(known.IDs, func(id string) bool { return !strings.HasPrefix(id, start) })
	switch len(matching) {
	case 1:
		return matching[0], nil
	case 0:
		return "", fault.New(fault.InvalidArguments, "the log knows no session %q", start).
			WithNextStep("actions-host log sessions lists them; the start of an id is enough.")
	default:
		return "", fault.New(fault.InvalidArguments, "%d sessions begin with %q", len(matching), start).
			WithNextStep("Write more of the id: " + strings.Join(matching[:min(len(matching), 5)], ", ") + ".")
	}
}

// databases lists the databases of the profiles whose id starts with the
// prefix, the one written last first. The folder is listed, not globbed: its path may
// hold any character.
func databases(prefix string) ([]string, error) {
	entries, err := os.ReadDir(paths.State())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var names []string
	written := map[string]time.Time{}
	for _, e := range entries {
		name := filepath.Join(paths.State(), e.Name())
		if strings.HasPrefix(name, strings.TrimSuffix(paths.Database(prefix), ".db")) && filepath.Ext(name) == ".db" {
			names = append(names, name)
			if info, err := e.Info(); err == nil { // gone meanwhile: it sorts last
				written[name] = info.ModTime()
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return written[b].Compare(written[a]) })
	return names, nil
}
