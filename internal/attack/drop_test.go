package attack_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/attack"
	"github.com/collabdict/collabdict/netsim"
)

// dropped runs the same sum three times, observed by a coalition. Member 4 stops during the second
// sum, and comes back only if the others wait for it.
func dropped(t *testing.T, s consensus.Settings, coalition []int, after time.Duration, show func(*attack.Attempt, *consensus.Decision)) (*attack.Recorder, []*consensus.Decision) {
	t.Helper()
	stop := netsim.Stop{Member: 4, Slot: 3, After: after}
	if s.Recover == consensus.Wait {
		stop.RestartAfter = time.Minute
	}
	c := netsim.Config{Settings: s, Seed: 8, Faults: []netsim.Fault{stop}}
	for i := range 7 {
		c.Names = append(c.Names, fmt.Sprintf("p%d", i))
	}
	r := attack.NewRecorder(s, netsim.RunID(c.Seed), 7, coalition)
	r.Show = show
	c.Observer = r
	net, err := netsim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	report, err := net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		for range 3 {
			if _, err := g.Sum(ctx, collabdict.Summand{Values: vectorOf(rank), Blocks: []collabdict.Block{{Len: 2, Bound: 100}}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	return r, report.Members[0].Decisions
}

var twoColluders = consensus.Settings{Protect: chunking.Chunks, Colluders: 2}

func vectorOf(rank int) []float64 { return []float64{float64(rank + 1), 10 * float64(rank+1)} }

// When a member is lost during a sum, the others repeat the sum without it. The coalition's
// data of the first attempt stays sealed: it knows no honest member's pad and has too few
// shares of any. So it cannot subtract one attempt from the other.
func TestALostMemberCannotBeSubtractedWithinASlot(t *testing.T) {
	abandoned, counted := 0, 0
	for after := time.Duration(0); after < 100*time.Millisecond; after += 7 * time.Millisecond {
		r, log := dropped(t, twoColluders, []int{1, 3}, after, func(a *attack.Attempt, d *consensus.Decision) {
			if a.Ballot == d.Attempt {
				return
			}
			if len(a.Lanes) > 0 {
				abandoned++
			}
			for s, pad := range a.Pads {
				t.Errorf("stopped after %s: attempt %d of slot %d is not the decided one, and the pad of %d is known: %x", after, a.Ballot, a.Slot, s, pad[:4])
			}
			if len(a.Shares) > 0 {
				t.Errorf("stopped after %s: shares of attempt %d were told", after, a.Ballot)
			}
		})
		if r.Breached() != 0 {
			t.Errorf("stopped after %s: the coalition recovered %.2f", after, r.Breached())
		}
		if slices.Contains(log[3].Members, 4) {
			counted++
		}
	}
	if abandoned == 0 || counted == 0 {
		t.Errorf("%d attempts with a session abandoned, %d sums in which the lost member counts: want some of both", abandoned, counted)
	}
}

// Across slots subtraction works: two public totals of the same statistics, over views that
// differ in one member, differ by its vector. No seal helps, so the ledger of a run names such
// pairs.
func TestALostMemberCanBeSubtractedAcrossSlots(t *testing.T) {
	_, log := dropped(t, twoColluders, []int{1, 3}, 20*time.Millisecond, nil)
	with, without := log[2], log[3]
	if len(with.Members) != 7 || len(without.Members) != 6 || slices.Contains(without.Members, 4) {
		t.Fatalf("views %v and %v", with.Members, without.Members)
	}
	for i, want := range vectorOf(4) {
		if got := with.Total[i] - without.Total[i]; math.Abs(got-want) > 1e-3*want {
			t.Errorf("value %d: the totals differ by %g, want %g", i, got, want)
		}
	}
}

// Only the seal prevents subtraction. More colluders than the settings allow can restore a lost
// member's pad from their shares. If they share all its chunks, too, they get its vector from
// an abandoned attempt. Without shares, nobody can.
func TestTooManyColludersUnsealAbandonedAttempts(t *testing.T) {
	for recovery, want := range map[consensus.Recovery]bool{consensus.FromShares: true, consensus.Wait: false} {
		s := consensus.Settings{Protect: chunking.Chunks, Colluders: 2, Recover: recovery}
		abandoned, known := 0, false
		for after := time.Duration(0); after < 100*time.Millisecond; after += 7 * time.Millisecond {
			var book *attack.Book
			dropped(t, s, []int{0, 1, 2, 3, 5, 6}, after, func(a *attack.Attempt, d *consensus.Decision) {
				if a.Ballot == d.Attempt || len(a.Lanes) == 0 {
					return
				}
				if book == nil {
					book = attack.NewBook(s, 7)
				}
				abandoned++
				x := book.Recover(a, []int{0, 1, 2, 3, 5, 6})[4]
				known = known || len(x) == 2 && math.Abs(x[0]-vectorOf(4)[0]) < 1e-3
			})
		}
		if abandoned == 0 || known != want {
			t.Errorf("recover by %s: %d attempts abandoned, unsealed: %v, want %v", recovery, abandoned, known, want)
		}
	}
}
