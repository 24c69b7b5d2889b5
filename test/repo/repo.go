// Package repo finds the repository's files for tests.
package repo

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// Root returns the repository's root: the folder with go.mod at or above the
// working directory. It does not ask the program where its source is, since
// builds with -trimpath do not know.
var Root = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			panic(errors.New("no go.mod at or above " + dir))
		}
	}
})
