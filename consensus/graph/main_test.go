package graph

import (
	"testing"

	"github.com/collabdict/collabdict/internal/race"
)

// Nothing here starts a goroutine.
func TestMain(m *testing.M) { race.Main(m) }
