package lockstep_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

func blocks(n int) []collabdict.Block { return []collabdict.Block{{Len: n, Bound: 100}} }

// In each of many collectives, every member gets the same sum, and the same blobs in the order
// of ranks.
func TestCollectives(t *testing.T) {
	err := lockstep.Run(t.Context(), 7, func(ctx context.Context, g collabdict.Group, rank int) error {
		for turn := range 50 {
			total, err := g.Sum(ctx, collabdict.Summand{Values: []float64{float64(rank), float64(turn)}, Blocks: blocks(2)})
			if err != nil {
				return err
			}
			if !slices.Equal(total, []float64{21, 7 * float64(turn)}) {
				t.Errorf("rank %d, turn %d: sum %g", rank, turn, total)
			}
			blobs, err := g.Gather(ctx, "test", []byte{byte(rank), byte(turn)})
			if err != nil {
				return err
			}
			for r, b := range blobs {
				if !slices.Equal(b, []byte{byte(r), byte(turn)}) {
					t.Errorf("rank %d, turn %d: blob %d is %v", rank, turn, r, b)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Nobody waits for a member that has returned, and Run returns that member's own error.
func TestAMemberReturns(t *testing.T) {
	broken := errors.New("broken")
	for _, own := range []error{broken, nil} {
		err := lockstep.Run(t.Context(), 3, func(ctx context.Context, g collabdict.Group, rank int) error {
			if _, err := g.Sum(ctx, collabdict.Summand{Values: []float64{1}, Blocks: blocks(1)}); err != nil {
				return err
			}
			if rank == 2 {
				return own
			}
			_, err := g.Gather(ctx, "test", nil)
			return err
		})
		if own != nil && !(errors.Is(err, broken) && strings.HasPrefix(err.Error(), "member 2:")) {
			t.Errorf("got %v", err)
		}
		if own == nil && (err == nil || !strings.Contains(err.Error(), "has returned")) {
			t.Errorf("got %v", err)
		}
	}
}

// Members that call different collectives, or the same with different blocks, get an error.
func TestMembersDiffer(t *testing.T) {
	for name, second := range map[string]func(ctx context.Context, g collabdict.Group) error{
		"blocks": func(ctx context.Context, g collabdict.Group) error {
			_, err := g.Sum(ctx, collabdict.Summand{Values: []float64{1}, Blocks: []collabdict.Block{{Len: 1, Bound: 50}}})
			return err
		},
		"collectives": func(ctx context.Context, g collabdict.Group) error {
			_, err := g.Gather(ctx, "test", nil)
			return err
		},
	} {
		err := lockstep.Run(t.Context(), 2, func(ctx context.Context, g collabdict.Group, rank int) error {
			if rank == 1 {
				return second(ctx, g)
			}
			_, err := g.Sum(ctx, collabdict.Summand{Values: []float64{1}, Blocks: blocks(1)})
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "have not called the same") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := lockstep.Run(ctx, 2, func(ctx context.Context, g collabdict.Group, rank int) error {
		if rank == 1 {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}
		_, err := g.Gather(ctx, "test", nil)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
