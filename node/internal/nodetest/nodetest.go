// Package nodetest is what the tests of a node and of its parts share.
package nodetest

import (
	"testing"
	"time"
)

// Within bounds everything that a test waits for.
const Within = 60 * time.Second

// Receive returns what comes through a channel in time.
func Receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(Within):
		t.Fatal("nothing within", Within)
		panic("not reached")
	}
}
