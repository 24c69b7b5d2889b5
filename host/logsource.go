package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/logview"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// A host that starts waits only 3 s for the file of its log, and a command may print for as long as
// its reader likes: after heldTimeout it lets go of the file, for at least freeDelay.
const (
	heldTimeout = time.Second
	freeDelay   = 100 * time.Millisecond
)

// logSource is a profile's log: through its host while that runs, which holds
// the file, else the file itself.
type logSource struct {
	client *control.Client
	path   string

	using sync.Mutex // held while the file is read
	file  *journal.Reader
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
	names, err := logFiles(a.profile)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		if others, err := logFiles(""); err == nil && len(others) > 0 {
			return nil, fault.New(fault.InvalidInput, "no log is of a profile whose id begins with %q", a.profile).
				WithNextStep("The logs: " + strings.Join(profileIDs(others), ", ") + ". A label names a profile only while its browser runs.")
		}
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
	s := &logSource{path: names[0]}
	s.hold(file)
	return s, nil
}

// logFiles lists the logs of the profiles whose id begins with the text, the one written last first.
func logFiles(profile string) ([]string, error) {
	return journal.Files(paths.Database(profile))
}

// hold keeps the file for a while; the copy of a broken one is in no host's way.
func (s *logSource) hold(file *journal.Reader) {
	s.file = file
	if found := file.Damage(); found == nil || !found.Broken() {
		time.AfterFunc(heldTimeout, s.free)
	}
}

func (s *logSource) free() {
	s.using.Lock()
	defer s.using.Unlock()
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// use calls one of the two, for a log that is read through its host or from its file.
func (s *logSource) use(ctx context.Context, hosted func() error, read func(*journal.Reader) error) error {
	if s.client == nil {
		s.using.Lock()
		defer s.using.Unlock()
		if s.file == nil {
			if err := s.resume(ctx); err != nil {
				return err
			}
		}
	}
	if s.client != nil {
		return hosted()
	}
	return read(s.file)
}

// resume opens the file again, or finds the host that has taken it meanwhile.
func (s *logSource) resume(ctx context.Context) error {
	pause(ctx, freeDelay)
	if found, err := s.findHost(ctx); found || err != nil {
		return err
	}
	file, err := journal.ReadFile(s.path, 0)
	if err == nil {
		s.hold(file)
		return nil
	}
	if fault.Is(err, fault.DatabaseLocked) { // by a host that was about to start
		if found, _ := s.findHost(ctx); found {
			return nil
		}
	}
	return err
}

func (s *logSource) findHost(ctx context.Context) (found bool, err error) {
	running, err := control.Discover(ctx, paths.Sockets())
	if err != nil {
		return false, err
	}
	running = control.Choose(running, func(host control.Status) bool { return paths.Database(host.ProfileID) == s.path })
	if len(running) == 0 {
		return false, nil
	}
	s.client, err = one(running)
	return err == nil, err
}

// damage returns the record that replaces the unreadable rest of a broken file; nil
// where the log is whole.
func (s *logSource) damage() *journal.Record {
	s.using.Lock()
	defer s.using.Unlock()
	if s.file == nil {
		return nil
	}
	return s.file.DamagedRecord(time.Now())
}

func (s *logSource) close() {
	if s.client != nil {
		s.client.Close()
	}
	s.free()
}

// read returns the records that match the parameters, in order.
func (s *logSource) read(ctx context.Context, p control.LogParams, each func(journal.Record) error) error {
	for {
		var page control.LogPage
		err := s.use(ctx, func() error {
			return s.client.Log(ctx, p, each) // all that is left
		}, func(file *journal.Reader) (err error) {
			page, err = control.ReadLog(ctx, file, p)
			return err
		})
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

func (s *logSource) sessions(ctx context.Context, f journal.Filter) (list []*logview.Session, err error) {
	err = s.use(ctx, func() error {
		var answer control.LogSessions
		err := s.client.Call(ctx, control.MethodLogSessions, control.LogFilter{Filter: f}, &answer)
		list = answer.Sessions
		return err
	}, func(file *journal.Reader) (err error) {
		list, err = control.Sessions(ctx, file, f)
		return err
	})
	return list, err
}

func (s *logSource) verify(ctx context.Context) (report journal.Report, err error) {
	err = s.use(ctx, func() error {
		return s.client.Call(ctx, control.MethodLogVerify, control.Empty{}, &report)
	}, func(file *journal.Reader) (err error) {
		report, err = file.Verify(ctx)
		return err
	})
	return report, err
}

// session returns the whole id of a session that is named by the start of it.
func (s *logSource) session(ctx context.Context, start string) (string, error) {
	if start == "" {
		return "", nil
	}
	var known control.LogSessionIDs
	err := s.use(ctx, func() error {
		return s.client.Call(ctx, control.MethodLogSessionIDs, control.Empty{}, &known)
	}, func(file *journal.Reader) (err error) {
		known.IDs, err = file.SessionIDs(ctx)
		return err
	})
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

// profileIDs returns the ids of the profiles of these logs.
func profileIDs(names []string) []string {
	var ids []string
	for _, name := range names {
		ids = append(ids, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "profile-"), ".db"))
	}
	return ids
}
