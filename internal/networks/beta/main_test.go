package beta

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// Only package parallel and groups of members start goroutines here.
func TestMain(m *testing.M) { testkit.UnracedMain(m) }
