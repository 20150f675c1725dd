package testkit

import "testing"

// SkipRaced skips a test under the race detector, where everything takes ten times as long. It is for a
// test that runs in one goroutine, or whose goroutines another test runs too.
func SkipRaced(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("SKIPPED: the race detector would find nothing here, and take long")
	}
}

// UnracedMain runs the tests of a package, but none under the race detector. It is for packages in which
// nothing starts a goroutine, except loops of package parallel and groups of members; see
// TestOnlyPackagesWithoutGoroutinesLeaveOutTheRaceDetector.
func UnracedMain(m *testing.M) {
	if !Raced {
		m.Run()
	}
}
