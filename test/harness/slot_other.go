//go:build !unix

package harness

import (
	"errors"
	"os"
)

// inProcess are the slots of this process alone.
var inProcess = make(chan struct{}, atOnce())

// takeSlot waits for a slot and returns the function that releases it.
func takeSlot() (release func(), err error) {
	inProcess <- struct{}{}
	return func() { <-inProcess }, nil
}

// locked is for what processes share.
func locked(name string) (*os.File, error) {
	return nil, errors.New("this system has no lock for " + name)
}
