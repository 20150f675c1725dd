//go:build !unix

package bench

import "time"

// ProcessTime returns 0: this system does not report it.
func ProcessTime() time.Duration { return 0 }
