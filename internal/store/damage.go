package store

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// DamageError says that state.db is not what this participant has written: a disk has
// failed, or somebody has changed, cut or exchanged it.
type DamageError struct{ Path, What string }

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged: %s: check the disk; if a run is under way, replace this member by one with a new folder, and if not, move %s and %s away",
		e.Path, e.What, StateFile, KeysFile)
}

// damage is what is wrong with the file. It leaves the package as a DamageError.
type damage string

func (d damage) Error() string { return string(d) }

func damagef(format string, args ...any) error { return damage(fmt.Sprintf(format, args...)) }

// guard runs what reads or writes the file by way of bbolt. bbolt maps the file into
// memory and believes it: it panics on what it did not write, and where the file has become
// shorter, or its disk fails, reading the memory is a fault. Both are damage here. bbolt
// may hold its locks after a panic, so it is never called again, and the lock on the file
// ends with the process.
func (s *Store) guard(f func() error) (err error) {
	if d := s.broken.Load(); d != nil {
		return d
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			what := fmt.Sprint(r)
			if fault, is := r.(interface{ Addr() uintptr }); is {
				what = fmt.Sprintf("it cannot be read: memory fault at %#x, as after its end was cut off or its disk has failed", fault.Addr())
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
