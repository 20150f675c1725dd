package fedgem

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit/race"
)

// Only package parallel and groups of members start goroutines here.
func TestMain(m *testing.M) { race.Main(m) }
