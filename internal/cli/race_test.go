package cli

import (
	"os"

	"github.com/collabdict/collabdict/internal/testkit"
)

// manyRows is the number of rows per member that make the local update take most of the time.
var manyRows = map[bool]int{false: 8000, true: 1200}[testkit.Raced]

// By default the race detector makes each process sleep for a second at its end, and the tests
// start a thousand processes.
func init() { _ = os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE")) }
