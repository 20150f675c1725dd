package attack

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// Only groups of members start goroutines here.
func TestMain(m *testing.M) { testkit.UnracedMain(m) }
