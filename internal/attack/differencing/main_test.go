package differencing

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit/race"
)

// Nothing here starts a goroutine.
func TestMain(m *testing.M) { race.Main(m) }
