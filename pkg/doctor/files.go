package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// lockTimeout is the wait for a database: a host keeps its lock for good.
const lockTimeout = 200 * time.Millisecond

// maxDatabases bounds the files that are examined; launched browsers leave one each.
const maxDatabases = 20

// binary is this very program: a browser must be able to start it, and nobody
// else to replace it.
func (e *examiner) binary() []Hop {
	path := e.o.Program
	info, err := os.Stat(path)
	h := Hop{Status: Broken, Message: fmt.Sprintf("%s, version %s", path, e.o.Version)}
	switch {
	case err != nil:
		h.Message, h.Fix = err.Error(), "Put the program at a place that this user can read."
	case paths.Executable(info) && !paths.WritableByOthers(info):
		h.Status = OK
	case paths.WritableByOthers(info):
		h.Message, h.Fix = path+" can be changed by other users", "chmod go-w '"+path+"'"
		h.repair = chmod(path, info.Mode().Perm()&^0o022)
	default:
		h.Message, h.Fix = path+" may not be executed", "chmod u+x '"+path+"'"
		h.repair = chmod(path, info.Mode().Perm()|0o100)
	}
	return one(h)
}

func chmod(path string, mode fs.FileMode) func() (string, error) {
	return func() (string, error) {
		return fmt.Sprintf("the mode of %s is %o", path, mode), os.Chmod(path, mode)
	}
}

// folders are those of the databases and of the settings.
func (e *examiner) folders() []Hop {
	var found []Hop
	for _, f := range []struct {
		path    string
		private bool
	}{{paths.State(), true}, {paths.Data(), false}} {
		if h, ok := folder(f.path, f.private); !ok {
			found = append(found, h)
		}
	}
	if len(found) == 0 {
		found = one(Hop{Status: OK, Message: fmt.Sprintf("state in %s, data in %s", paths.State(), paths.Data())})
	}
	return found
}

// folder looks at a folder of the program's own.
func folder(path string, private bool) (Hop, bool) {
	info, err := os.Stat(path)
	h := Hop{Status: Broken, Fix: "Correct its permissions, or set " + paths.EnvHome + " to a folder of your own."}
	made := func() (string, error) { return "made the folder " + path, paths.MakePrivate(path) }
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.Status, h.Message, h.Fix = OK, "the folder "+path+" is not there yet; the host makes it", ""
		h.repair = made
	case err != nil:
		h.Message = err.Error()
	case !info.IsDir():
		h.Message, h.Fix = path+" is not a folder", "Move the file away, then run doctor again."
	default:
		if err := paths.CheckOwner(path); err != nil {
			f := fault.From(err)
			h.Message, h.Fix = f.Message, f.NextStep
			return h, false
		}
		switch mode := info.Mode().Perm(); {
		case mode&0o700 != 0o700:
			h.Message = fmt.Sprintf("the folder %s cannot be used by its owner (mode %o)", path, mode)
			h.Fix, h.repair = "chmod u+rwx '"+path+"'", chmod(path, mode|0o700)
		case private && paths.OpenToOthers(info):
			h.Message = fmt.Sprintf("the folder %s is open to other users (mode %o)", path, mode)
			h.Fix, h.repair = "chmod 700 '"+path+"'", chmod(path, 0o700)
		case paths.WritableByOthers(info): // the settings lie there
			h.Message = fmt.Sprintf("the folder %s can be changed by other users (mode %o)", path, mode)
			h.Fix, h.repair = "chmod go-w '"+path+"'", chmod(path, mode&^0o022)
		default:
			return Hop{}, true
		}
	}
	return h, false
}

func (e *examiner) settings() []Hop {
	name := filepath.Join(paths.Data(), "settings.json")
	if err := e.o.Settings(); err != nil {
		f := fault.From(err)
		return one(Hop{Status: Broken, Message: f.Message, Fix: "Correct " + name + " or remove it, then restart the browser."})
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return one(Hop{Status: OK, Message: "none; the defaults hold"})
	case e.connectedBefore(info.ModTime()):
		return one(Hop{
			Status: Warning, Message: name + " was changed after a browser connected, whose host still goes by the settings before",
			Fix: "Restart the browser, or reload the extension on its page of extensions.",
		})
	}
	return one(Hop{Status: OK, Message: name})
}

// policyFile looks at the rules of what may run. Hosts that run go by the file as it is.
func (e *examiner) policyFile() []Hop {
	name := filepath.Join(paths.Data(), "policy.json")
	if err := e.o.Policy(); err != nil {
		f := fault.From(err)
		return one(Hop{Status: Broken, Message: f.Message, Fix: f.NextStep})
	}
	if _, err := os.Lstat(name); err != nil {
		return one(Hop{Status: OK, Message: "none yet; the first browser that connects gets the shipped one"})
	}
	return one(Hop{Status: OK, Message: name})
}

// connectedBefore reports whether a running host is older than a moment. It makes
// its socket when it has read the settings.
func (e *examiner) connectedBefore(moment time.Time) bool {
	return slices.ContainsFunc(e.clients, func(c *control.Client) bool {
		socket, err := paths.Socket(c.Status.ProfileID)
		if err != nil {
			return false
		}
		info, err := os.Stat(socket)
		return err == nil && info.ModTime().Before(moment)
	})
}

// database looks at the profiles' files: those of running hosts are in use, the
// others must be free and whole.
func (e *examiner) database() []Hop {
	names, err := journal.Files(paths.Database(""))
	if err != nil || len(names) == 0 {
		return one(Hop{Status: OK, Message: "none yet; the first browser that connects makes its own"})
	}
	served := map[string]int{}
	for _, c := range e.clients {
		served[c.Status.Database] = c.Status.PID
	}
	message := fmt.Sprintf("%d in %s", len(names), paths.State())
	for _, name := range names[:min(len(names), maxDatabases)] {
		if h, ok := databaseFile(name, served[name]); !ok {
			return one(h)
		}
	}
	for _, c := range e.clients {
		if c.Status.LogDamage != "" {
			return one(Hop{
				Status: Warning, Profile: c.Status.ProfileID, Message: fmt.Sprintf("the database %s was damaged: %s", c.Status.Database, c.Status.LogDamage),
				Fix: "Nothing has to be done: the log goes on with all that could be read. actions-host log verify tells what is missing.",
			})
		}
	}
	return one(Hop{Status: OK, Message: message})
}

// checkDatabase returns the error of reading a database, or what is broken in it.
func checkDatabase(name string) error {
	log, err := journal.ReadFile(name, lockTimeout)
	if err != nil {
		return err
	}
	found := log.Damage()
	if err := log.Close(); err != nil {
		return err
	}
	if found != nil && found.Broken() {
		return fault.New(fault.StorageUnavailable, "%s", found)
	}
	return nil
}

func databaseFile(name string, host int) (Hop, bool) {
	h := Hop{Status: Broken}
	info, err := os.Stat(name)
	if err == nil && paths.OpenToOthers(info) && info.Mode().IsRegular() {
		h.Message = fmt.Sprintf("the database %s is open to other users (mode %o)", name, info.Mode().Perm())
		h.Fix, h.repair = "chmod 600 '"+name+"'", chmod(name, 0o600)
		return h, false
	}
	if host != 0 || err == nil && info.Size() == 0 {
		return Hop{}, true
	}
	err = checkDatabase(name)
	switch {
	case err == nil:
		return Hop{}, true
	case fault.Is(err, fault.DatabaseLocked):
		h.Message = fmt.Sprintf("another process holds the database %s, and answers at no socket", name)
		h.Fix = "End the actions-host process that hangs (it ends with its browser), then start the browser again."
	case errors.Is(err, fs.ErrNotExist):
		h.Status, h.Message, h.Fix = Warning, fault.From(err).Message, fault.From(err).NextStep
	case info != nil && info.Mode().IsRegular() && !errors.Is(err, fs.ErrPermission):
		h.Message = fmt.Sprintf("the database %s is broken: %s", name, fault.From(err).Message)
		h.Fix = "Restart the browser: its host moves the broken file aside and goes on with all that can be read of it. Your maps and settings are elsewhere."
		h.repair = func() (string, error) { return renewed(name) }
	default:
		h.Message = fmt.Sprintf("the database %s cannot be read: %s", name, fault.From(err).Message)
		h.Fix = "Give yourself access to the file (chmod 600), or move it away."
	}
	return h, false
}

// renewed has a broken database moved aside, as a starting host does.
func renewed(name string) (string, error) {
	log, err := journal.Open(name, journal.Options{LockTimeout: lockTimeout})
	if err != nil {
		return "", err
	}
	return "moved the broken database " + name + " aside and went on with what can be read of it", log.Close()
}
