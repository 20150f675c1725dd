// Package long lets tests that take long run only when asked for: whole searches of a model, storms of
// killed processes, attacks, and sweeps over many seeds. make search runs them.
package long

import (
	"os"
	"testing"
)

// On is true if long tests run.
var On = os.Getenv("COLLABDICT_TESTS") == "long"

// Skip skips a test that takes long, unless long tests are asked for.
func Skip(t testing.TB) {
	t.Helper()
	if !On {
		t.Skip("SKIPPED: takes long; make search runs it, or COLLABDICT_TESTS=long")
	}
}
