//go:build unix

package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// slots are lock files: whoever holds one may drive a browser. They end with their process,
// however that ends.
func slots() ([]string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("actions-host-tests-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var files []string
	for i := range atOnce() {
		files = append(files, filepath.Join(dir, fmt.Sprint("browser-", i)))
	}
	return files, nil
}

// takeSlot waits for any slot and returns the function that releases it.
func takeSlot() (release func(), err error) {
	files, err := slots()
	if err != nil {
		return nil, err
	}
	taken := make(chan *os.File)
	failed := make(chan error, len(files))
	served := make(chan struct{})
	defer close(served)
	for _, name := range files {
		go func() {
			file, err := locked(name)
			if err != nil {
				failed <- err
				return
			}
			select {
			case taken <- file:
			case <-served: // another one came first
				file.Close()
			}
		}()
	}
	select {
	case file := <-taken:
		return func() { file.Close() }, nil
	case err := <-failed:
		return nil, err
	}
}

// locked waits for the lock of a file, which ends when the file is closed.
func locked(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
