// Package race tells tests whether they run under the race detector. There everything takes ten
// times as long, so tests in which it can find nothing are left out or made smaller. Without it,
// every test runs in full.
package race

import "testing"

// Skip skips a test under the race detector: one that runs in one goroutine, or whose
// goroutines another test runs too.
func Skip(t testing.TB) {
	t.Helper()
	if On {
		t.Skip("SKIPPED: the race detector would find nothing here, and take long")
	}
}

// Main runs the tests of a package, but none under the race detector. It is for packages in which
// nothing starts a goroutine, except loops of package parallel and groups of members; see
// TestOnlyPackagesWithoutGoroutinesLeaveOutTheRaceDetector.
func Main(m *testing.M) {
	if !On {
		m.Run()
	}
}
