package netsim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/testkit"
)

// mean is a learner of one parameter, which moves towards the mean of the members' values.
type mean struct {
	own, parameter float64
	size           int
	flips          bool // the last bit of the parameter, at the start
	totals         int
}

func (l *mean) Start(_ context.Context, g collabdict.Group) error {
	l.parameter, l.size = 1, g.Membership().Size
	if l.flips {
		l.parameter = math.Nextafter(1, 2)
	}
	return nil
}

func (l *mean) Digest() (d [32]byte) {
	bits := math.Float64bits(l.parameter)
	for i := range 8 {
		d[i] = byte(bits >> (8 * i))
	}
	return d
}

func (l *mean) LocalUpdate() (collabdict.Summand, error) {
	return collabdict.Summand{Values: []float64{l.own - l.parameter, 1}, Blocks: blocks}, nil
}

func (l *mean) Optimize(total []float64, _ bool) (float64, error) {
	l.totals++
	l.parameter += total[0] / total[1] / 2
	return -math.Abs(total[0]), nil
}

// A difference of one bit in one member's parameters is detected in the first round by every
// member, before there is a total. With more than two members, the error names the one that
// differs.
func TestOtherParametersAreSeen(t *testing.T) {
	for _, scheme := range []consensus.Scheme{consensus.Laplacian, consensus.Exact} {
		for size, want := range map[int][]string{2: {"p0001", "p0002"}, 3: {"p0002"}, 7: {"p0002"}} {
			for _, flips := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%d/%t", scheme, size, flips), func(t *testing.T) {
					c := config(size)
					c.Settings.Scheme = scheme
					if size == 2 {
						c.Settings.Protect = chunking.None
					}
					learners, errs := make([]mean, size), make([]error, size)
					_, err := run(t.Context(), c, func(ctx context.Context, rank int, g collabdict.Group) error {
						l := &learners[rank]
						l.own, l.flips = float64(rank), flips && rank == 1
						_, errs[rank] = collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 3})
						return errs[rank]
					})
					if !flips {
						if err != nil || learners[0].totals != 3 {
							t.Fatalf("got error %v after %d totals", err, learners[0].totals)
						}
						return
					}
					for rank, err := range errs {
						var unlike *consensus.ParametersError
						if !errors.As(err, &unlike) || unlike.Round != 1 || !slices.Equal(unlike.Names, want) || learners[rank].totals != 0 {
							t.Errorf("member %d: got %v after %d totals, want %q named in round 1", rank, err, learners[rank].totals, want)
						}
					}
					if text := errs[0].Error(); !strings.Contains(text, "p0002 01000000") || strings.Contains(text, "most members 00000000") != (size > 2) {
						t.Errorf("got %q", text)
					}
				})
			}
		}
	}
}

// In a large roster nobody receives all digests, but each member that receives a different one
// names its sender.
func TestOtherParametersAreSeenAmongMany(t *testing.T) {
	testkit.SkipRaced(t)
	const size, odd = consensus.SmallRoster + 6, 5
	named := 0
	errs, learners := make([]error, size), make([]mean, size)
	_, err := run(t.Context(), config(size), func(ctx context.Context, rank int, g collabdict.Group) error {
		l := &learners[rank]
		l.own, l.flips = float64(rank)/size, rank == odd
		_, errs[rank] = collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 2})
		return errs[rank]
	})
	if err == nil {
		t.Fatal("got no error")
	}
	for rank, err := range errs {
		var unlike *consensus.ParametersError
		if err == nil || learners[rank].totals > 0 {
			t.Errorf("member %d: got %v after %d totals", rank, err, learners[rank].totals)
		}
		if errors.As(err, &unlike) {
			named++
			if !slices.Equal(unlike.Members, []int{odd}) {
				t.Errorf("member %d: got %v, want member %d named", rank, err, odd)
			}
		}
	}
	if named < 2 {
		t.Errorf("%d members name the one that differs", named)
	}
}
