package files

import (
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// One caller holds the file at a time. Meanwhile TryLock returns an error, and Lock returns in
// turn.
func TestOneHoldsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(path); !errors.Is(err, ErrHeld) {
		t.Errorf("a second one: %v", err)
	}
	var waiting sync.WaitGroup
	var held atomic.Int32
	for range 4 {
		waiting.Go(func() {
			unlock, err := Lock(path)
			if err != nil {
				t.Error(err)
				return
			}
			if n := held.Add(1); n != 1 {
				t.Errorf("%d hold it at once", n)
			}
			held.Add(-1)
			unlock()
		})
	}
	unlock()
	waiting.Wait()
	if _, err := Lock(filepath.Join(path, "missing", "lock")); err == nil {
		t.Error("a file in no folder is held")
	}
}
