package docs_test

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// Nothing here starts a goroutine.
func TestMain(m *testing.M) { testkit.UnracedMain(m) }
