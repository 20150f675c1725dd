//go:build !linux

package bench

// beginResident measures nothing on this system.
func beginResident() (end func() float64) { return func() float64 { return 0 } }
