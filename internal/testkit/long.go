package testkit

import (
	"os"
	"testing"
)

// COLLABDICT_TESTS=long runs tests that take long, too: whole searches of a model, storms of killed
// processes, and sweeps over many seeds; make search sets it. COLLABDICT_TESTS=full extends some of them
// to hours: choose those by -run.
var (
	Full = os.Getenv("COLLABDICT_TESTS") == "full"
	Long = os.Getenv("COLLABDICT_TESTS") == "long" || Full
)

// LongOr returns long with the tests that take long, and otherwise the part of it that represents it.
func LongOr[T any](long, part T) T {
	if Long {
		return long
	}
	return part
}

// LongOnly skips a test that takes long, unless long tests are asked for.
func LongOnly(t testing.TB) {
	t.Helper()
	if !Long {
		t.Skip("SKIPPED: takes long; make search runs it, or COLLABDICT_TESTS=long")
	}
}

// FullOnly skips a test that takes hours, unless it is asked for.
func FullOnly(t testing.TB) {
	t.Helper()
	if !Full {
		t.Skip("SKIPPED: takes up to hours; set COLLABDICT_TESTS=full")
	}
}
