//go:build !linux

package bench

// beginResident has nothing to watch.
func beginResident() (end func() float64) { return func() float64 { return 0 } }
