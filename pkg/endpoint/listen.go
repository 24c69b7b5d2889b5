package endpoint

import (
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// CheckAddress returns a fault for an address that is not one of this machine alone.
func CheckAddress(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() || at.Addr().Zone() != "" {
		return fault.New(fault.InvalidInput, "%q is no loopback address with a port", address).
			WithNextStep("Use 127.0.0.1:8787 or [::1]:8787: other machines are not answered.")
	}
	return nil
}

// Listening is the places where a server can be reached.
type Listening struct {
	Socket    string
	Address   string // of the loopback listener; "" without one
	Listeners []net.Listener

	lock *os.File
}

// Listen listens on the unix socket and, unless it is empty, on the loopback address. Only one
// program can listen on the socket at a time; for the others the fault is already_running.
func Listen(socket, address string) (*Listening, error) {
	if err := paths.MakePrivate(filepath.Dir(socket)); err != nil {
		return nil, err
	}
	l := &Listening{Socket: socket}
	var err error
	if l.lock, err = lock(strings.TrimSuffix(socket, filepath.Ext(socket)) + ".lock"); err != nil {
		return nil, err
	}
	if address != "" {
		err = l.listenTCP(address)
	}
	if err == nil {
		err = l.listenUnix()
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Listening) listenTCP(address string) error {
	if err := CheckAddress(address); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fault.Wrap(err, fault.AlreadyRunning, "nothing can listen on %s: %v", address, err).With("address", address).
			WithNextStep("Another program may listen there: choose another port.")
	}
	l.Listeners, l.Address = append(l.Listeners, listener), listener.Addr().String()
	return nil
}

// listenUnix replaces a socket that nobody serves any more: the lock is ours.
func (l *Listening) listenUnix() error {
	if err := os.Remove(l.Socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.StorageUnavailable, "the old socket %s cannot be removed: %v", l.Socket, err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: l.Socket, Net: "unix"})
	if err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the socket %s cannot be made: %v", l.Socket, err)
	}
	l.Listeners = append(l.Listeners, listener)
	if err := os.Chmod(l.Socket, 0o600); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the socket %s cannot be made private: %v", l.Socket, err)
	}
	return nil
}

// Close closes the listeners, which removes the socket, and lets others listen.
func (l *Listening) Close() {
	for _, listener := range l.Listeners {
		_ = listener.Close() // a server may have closed it
	}
	_ = l.lock.Close()
}

// lock takes the lock file, which the system gives back however the program ends.
func lock(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the file %s cannot be opened: %v", name, err)
	}
	taken, err := tryLock(file)
	if err != nil || !taken {
		file.Close()
		if err != nil {
			return nil, fault.Wrap(err, fault.StorageUnavailable, "the file %s cannot be locked: %v", name, err)
		}
		return nil, fault.New(fault.AlreadyRunning, "another actions-host serve listens for this user").With("lock", name)
	}
	return file, nil
}
