package inventory

import (
	"strings"
	"testing"
)

// Each file says to whom it may be given, and only files do. Nobody gets files with rows or keys.
func TestFilesSayWhoMayHaveThem(t *testing.T) {
	for _, thing := range Things {
		if known := thing.Pass == Anyone || thing.Pass == Informed || thing.Pass == Nobody; known != (thing.Place == Files) {
			t.Errorf("%v: got %q", thing.Names, thing.Pass)
		}
		if strings.HasSuffix(thing.Tells, keep) && thing.Pass != Nobody {
			t.Errorf("%v may be given to %s", thing.Names, thing.Pass)
		}
	}
}
