package store

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// A DamageError reports that state.db is not what this participant has written: a disk has
// failed, or somebody has changed, cut or exchanged the file.
type DamageError struct{ Path, What string }

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged: %s: check the disk; if a run is under way, replace this member by one with a new folder, and if not, move %s and %s away",
		e.Path, e.What, StateFile, KeysFile)
}

// damage is a fault of the file. It leaves the package as a DamageError.
type damage string

func (d damage) Error() string { return string(d) }

func damagef(format string, args ...any) error { return damage(fmt.Sprintf(format, args...)) }

// guard calls a function that uses the file through bbolt. bbolt maps the file into memory and
// trusts it. It panics on unexpected contents. If the file has become shorter, or its disk
// fails, reading the memory is a fault. guard turns both into a DamageError. Since bbolt may
// hold its locks after a panic, it is never called again, and the lock on the file ends with
// the process.
func (s *Store) guard(f func() error) (err error) {
	if d := s.broken.Load(); d != nil {
		return d
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			what := fmt.Sprint(r)
			if fault, is := r.(interface{ Addr() uintptr }); is {
				what = fmt.Sprintf("memory fault at %#x: its end was cut off, or its disk has failed", fault.Addr())
			}
			d := &DamageError{s.path, what}
			s.broken.CompareAndSwap(nil, d)
			err = d
		}
	}()
	err = f()
	if _, damaged := errors.AsType[damage](err); damaged {
		err = &DamageError{s.path, err.Error()}
	}
	return err
}
