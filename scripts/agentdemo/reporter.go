package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/actionsjson/actions-host/test/fakes/realtime"
)

// reporter takes the errors of the fake service, as a test would.
type reporter struct {
	mu    sync.Mutex
	wrong []error
	ends  []func()
}

var _ realtime.Tester = (*reporter)(nil)

// fatal is the value with which Fatal panics to leave the script.
type fatal struct{ error }

func (r *reporter) Helper() {}

func (r *reporter) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, err)
}

func (r *reporter) Error(args ...any) { r.add(errors.New(fmt.Sprint(args...))) }

func (r *reporter) Errorf(format string, args ...any) { r.add(fmt.Errorf(format, args...)) }

func (r *reporter) Fatal(args ...any) { panic(fatal{errors.New(fmt.Sprint(args...))}) }

func (r *reporter) Fatalf(format string, args ...any) { panic(fatal{fmt.Errorf(format, args...)}) }

func (r *reporter) Cleanup(end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ends = append(r.ends, end)
}

// end lets go of everything, the last first, and joins what went wrong.
func (r *reporter) end(err *error) {
	if thrown := recover(); thrown != nil {
		f, ok := thrown.(fatal)
		if !ok {
			panic(thrown)
		}
		*err = f.error
	}
	r.mu.Lock()
	ends := slices.Backward(r.ends)
	r.mu.Unlock()
	for _, end := range ends {
		end()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	*err = errors.Join(append(r.wrong, *err)...)
}
