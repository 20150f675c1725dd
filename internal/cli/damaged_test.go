package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/journal/store"
)

// A damaged state file, or one of an older release, has an exit code of its own.
func TestAStateThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, store.StateFile)
	s, err := store.Open(dir)
	if err == nil {
		err = errors.Join(s.Close(), os.Truncate(path, 9000))
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Open(dir)
	c, hint := classify(t.Context(), fmt.Errorf("join: %w", err))
	if c != stateFailure || hint != "" || !strings.Contains(err.Error(), path+" is damaged: ") ||
		!strings.Contains(err.Error(), "replace this member by one with a new folder") {
		t.Errorf("%+v, %q: %v", c, hint, err)
	}
	if c, _ := classify(t.Context(), &store.VersionError{Path: path, Got: 5}); c != stateFailure {
		t.Errorf("an older file is %+v", c)
	}
}
