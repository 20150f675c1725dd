package consensus

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// If one member alone considers another lost, the others name it, whether the link is broken or
// the member lies. They name nobody if no member, or only half of them, hears the other.
func TestWhoAloneHearsNothingIsNamed(t *testing.T) {
	const size = 5
	n := newNetwork(t, size, settings(session.Chebyshev, chunking.Chunks))
	xs := vectors(rand.New(rand.NewPCG(1, 1)), size, testBlocks)
	n.play(sumOf(1, xs, testBlocks))
	n.pass(20*time.Second, nil)
	if got := n.status(0).Alone; got != nil {
		t.Fatalf("alone are %v while all hear of all", got)
	}
	broken := map[[2]int]bool{{3, 2}: true}
	n.cut = func(from, to int) bool { return broken[[2]int{from, to}] }
	n.pass(20*time.Second, nil)
	want := []Alone{{By: 2, Of: 3}}
	for _, s := range []int{0, 1, 2, 4} {
		if got := n.status(s).Alone; !slices.Equal(got, want) {
			t.Errorf("m%d takes %v for alone, want %v", s, got, want)
		}
	}
	broken[[2]int{3, 0}] = true
	n.pass(20*time.Second, nil)
	if got := n.status(1).Alone; got != nil {
		t.Errorf("of two that do not hear m3, %v are alone", got)
	}
	n.cut = nil
	n.kill(3)
	n.pass(20*time.Second, nil)
	if got := n.status(1).Alone; got != nil {
		t.Errorf("alone are %v though nobody hears of m3", got)
	}
}
