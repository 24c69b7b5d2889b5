package policyfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// settleInterval is how old a file must be when it is read for its size and time to tell a later
// change: file systems count time in steps of up to two seconds.
const settleInterval = 2500 * time.Millisecond

// File is a policy.json that may change at any time. It is safe for concurrent use.
type File struct {
	path string

	mu      sync.Mutex
	read    fs.FileInfo // of the state that was read last; nil: read again
	text    []byte
	rules   *policy.FileRules // of this state
	good    *policy.FileRules // of the last good state; nil: there was none
	settled bool
}

// Open returns the file at the path, which need not be there.
func Open(path string) *File { return &File{path: path} }

// Rules returns the rules of this moment.
func (f *File) Rules() *policy.FileRules {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Lstat(f.path)
	if err == nil && f.settled && unchanged(f.read, info) {
		return f.rules
	}
	if err == nil {
		err = f.load(info)
	}
	if err != nil {
		f.settled, f.text = false, nil
		f.rules = f.broken(missing(f.path, err))
	}
	return f.rules
}

// load reads the file's rules. The error is of reading; that of the text stands in the rules.
func (f *File) load(info fs.FileInfo) error {
	text, err := readRegular(f.path, info)
	if err != nil {
		return err
	}
	f.read, f.settled = info, time.Since(info.ModTime()) > settleInterval
	if f.rules != nil && f.text != nil && bytes.Equal(text, f.text) {
		return nil
	}
	f.text = text
	rules, err := Parse(f.path, text)
	if err != nil {
		f.rules = f.broken(fault.From(err))
		return nil
	}
	f.rules, f.good = rules, rules
	return nil
}

// broken returns the last good rules with the problem.
func (f *File) broken(problem *fault.Error) *policy.FileRules {
	if f.good == nil {
		return &policy.FileRules{Path: f.path, Problem: problem, Unknown: true}
	}
	rules := *f.good
	rules.Problem = problem
	return &rules
}

func unchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

// Check returns the error of the file as it is now; a missing one has none.
func Check(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		var text []byte
		if text, err = readRegular(path, info); err == nil {
			_, err = Parse(path, text)
			return err
		}
	}
	return missing(path, err)
}

// readRegular reads a file that is nothing but a file, and not too large.
func readRegular(path string, info fs.FileInfo) ([]byte, error) {
	if f := unsuitable(path, info); f != nil {
		return nil, f
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	opened, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(info, opened) {
		return nil, invalid(path, 1, "the file was replaced while it was read")
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err == nil && len(text) > maxBytes {
		err = tooLarge(path, opened.Size())
	}
	return text, err
}

func unsuitable(path string, info fs.FileInfo) *fault.Error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return invalid(path, 1, "this is a symbolic link, and what it leads to is not read").WithNextStep("Put the file itself there.")
	case info.IsDir():
		return invalid(path, 1, "this is a folder").WithNextStep("Move it away, and put the file there.")
	case !info.Mode().IsRegular():
		return invalid(path, 1, "this is not a regular file").WithNextStep("Put a file there.")
	case info.Size() > maxBytes:
		return tooLarge(path, info.Size())
	}
	return nil
}

func tooLarge(path string, size int64) *fault.Error {
	return invalid(path, 1, "the file has %d bytes; %d are allowed", size, maxBytes).WithNextStep("Remove what is not needed from the file.")
}

// missing returns the error of a file that cannot be read.
func missing(path string, err error) *fault.Error {
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, fs.ErrNotExist):
		return invalid(path, 1, "the file is gone").WithNextStep("Put it back, or restart the browser: the host writes a new one with the shipped rules.")
	}
	return invalid(path, 1, "the file cannot be read: %v", err).WithNextStep("Give yourself access to the file.")
}
