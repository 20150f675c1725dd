package cli

import "testing"

// The heap may grow to the room, but not by more than a fixed share, and by another one above it.
func TestHeapGrowsToItsRoom(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		live, room uint64
		want       int
	}{
		{100 * mb, 0, grownOfMany},
		{100 * mb, 120 * mb, grownOfMany},
		{100 * mb, 180 * mb, 80},
		{100 * mb, 250 * mb, mostGrown},
		{500 * mb, 250 * mb, grownOfMany},
		{0, 2 * mb, 100},
	} {
		if got := growth(c.live, c.room); got != c.want {
			t.Errorf("%d MB of %d MB in use: got %d %%, want %d %%", c.live/mb, c.room/mb, got, c.want)
		}
	}
}
