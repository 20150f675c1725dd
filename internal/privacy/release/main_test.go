package release

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// Only package parallel starts goroutines here.
func TestMain(m *testing.M) { testkit.UnracedMain(m) }
