package consensus

import (
	"testing"
	"time"
)

// A run that has paused because a needed member is gone for good continues with another member
// in its place. It does so whichever of the remaining members have the amendment, and although
// they have promised ballots that cannot get a view.
func TestAPausedRunIsAmended(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		s.Quorum, s.Colluders = 3, 3 // 5 members are needed, 3 decide
		for _, wish := range [][]int{{0, 1, 2, 3}, {1, 2, 3}, {0, 1, 3}} {
			n := newNetwork(t, 5, s)
			xs := powers(6)
			if !n.learn(rounds(2, xs), 10*time.Minute) {
				t.Fatalf("does not begin\n%s", n.describe())
			}
			n.kill(4)
			if n.learn(rounds(3, xs), time.Minute) {
				t.Fatal("continues without a member that is needed")
			}
			n.join()
			n.request(&Amendment{Revision: 1, Removed: []uint32{4}, Added: []Seat{{Name: "m5"}}, Quorum: 3, Colluders: 3}, wish...)
			if !n.learn(rounds(4, xs), 10*time.Minute) {
				t.Fatalf("%d have the change: does not continue\n%s", wish, n.describe())
			}
			n.checkLogs(xs, oneBlock)
		}
	})
}
