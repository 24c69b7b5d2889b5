package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// dialTimeout bounds the look at a socket of which no host answered.
const dialTimeout = 500 * time.Millisecond

// socket looks at the folder of the sockets and at each of them.
func (e *examiner) socket() []Hop {
	dir := paths.Sockets()
	// Every profile's path is as long as this one.
	if _, err := paths.Socket("0123456789ab"); err != nil {
		f := fault.From(err)
		return one(Hop{Status: Broken, Message: f.Message, Fix: f.NextStep})
	}
	if h, ok := folder(dir, true); !ok {
		return one(h)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return one(Hop{Status: Broken, Message: err.Error(), Fix: "Correct the permissions of " + dir + "."})
	}
	var found []Hop
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".sock" {
			continue
		}
		if h, ok := e.socketFile(filepath.Join(dir, entry.Name())); !ok {
			found = append(found, h)
		}
	}
	if len(found) == 0 && len(e.clients) == 0 {
		found = one(Hop{Status: OK, Message: dir})
	}
	return found
}

func (e *examiner) socketFile(path string) (Hop, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return Hop{}, true // it ended in this moment
	}
	if c := e.servedAt(path); c != nil {
		if paths.OpenToOthers(info) {
			return Hop{
				Status: Broken, Message: fmt.Sprintf("the socket %s is open to other users (mode %o)", path, info.Mode().Perm()),
				Fix: "chmod 600 '" + path + "'", repair: chmod(path, 0o600),
			}, false
		}
		return Hop{}, true
	}
	switch answer := dial(path); {
	case info.Mode().Type() != fs.ModeSocket:
		return Hop{
			Status: Warning, Message: path + " has the name of a socket and is none; this program did not make it",
			Fix: "Move it away if you do not know it.",
		}, false
	case errors.Is(answer, fs.ErrNotExist):
		return Hop{}, true // it ended in this moment
	case !abandoned(answer):
		return Hop{
			Status: Broken, Message: "a process holds the socket " + path + " and does not answer",
			Fix: "Restart the browser; if that does not help, end the actions-host process that hangs.",
		}, false
	}
	return Hop{
		Status: Warning, Message: "the socket " + path + " is stale: the host that made it is gone",
		Fix:    "The next host replaces it; actions-host doctor --fix removes it now.",
		repair: func() (string, error) { return removed(path, info) },
	}, false
}

// removed removes a stale socket, unless a host has made its own there meanwhile.
func removed(path string, stale fs.FileInfo) (string, error) {
	now, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (!os.SameFile(now, stale) || !abandoned(dial(path))) {
		return "found that the socket " + path + " is stale no more", nil
	}
	return "removed the stale socket " + path, errors.Join(err, os.Remove(path))
}

// dial returns why no host answers at a socket; nil where one does.
func dial(path string) error {
	conn, err := net.DialTimeout("unix", path, dialTimeout)
	if err != nil {
		return err
	}
	return conn.Close()
}

// servedAt returns the client of the host behind a socket.
func (e *examiner) servedAt(path string) *control.Client {
	for _, c := range e.clients {
		if own, err := paths.Socket(c.Status.ProfileID); err == nil && own == path {
			return c
		}
	}
	return nil
}
