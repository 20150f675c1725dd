package chunking

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPartnersAreDistinctOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 40).Draw(t, "size")
		self := rapid.IntRange(0, size-1).Draw(t, "self")
		fanout := rapid.IntRange(1, size-1).Draw(t, "fanout")
		partners := Partners([32]byte{rapid.Byte().Draw(t, "entropy")}, Context{From: self}, size, fanout)
		if len(partners) != fanout {
			t.Fatalf("got %d partners, want %d", len(partners), fanout)
		}
		last := -1
		for _, p := range partners {
			if p == self || p <= last || p >= size {
				t.Fatalf("partners of %d among %d: %v", self, size, partners)
			}
			last = p
		}
	})
}

func TestFanout(t *testing.T) {
	for _, c := range []struct{ size, chunks, want int }{
		{5, 0, 4}, {16, 0, 15}, {17, 0, 16}, {1000, 0, 16}, {5, 3, 2}, {5, 9, 4}, {2, 2, 1},
	} {
		if got := Fanout(c.size, c.chunks); got != c.want {
			t.Errorf("Fanout(%d, %d) = %d, want %d", c.size, c.chunks, got, c.want)
		}
	}
}
