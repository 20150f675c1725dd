//go:build !unix

package bench

import "time"

// ProcessTime is not told here.
func ProcessTime() time.Duration { return 0 }
