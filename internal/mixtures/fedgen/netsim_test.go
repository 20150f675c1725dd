package fedgen_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/netsim"
)

// refined runs one round and two rounds of exact sums at a member.
func refined(ctx context.Context, g collabdict.Group, x gmm.Rows, own fedgen.Contribution, c fedgen.Config) (*fedgen.Result, *gmm.Mixture, error) {
	var r *fedgen.Result
	l, err := em.NewLearner(x, em.Config{Plain: &em.Plain{Mixture: func(ctx context.Context, g collabdict.Group) (m *gmm.Mixture, err error) {
		if r, err = fedgen.Exchange(ctx, g, own, c); err != nil {
			return nil, err
		}
		return r.Mixture, nil
	}}})
	if err != nil {
		return nil, nil, err
	}
	_, err = collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 2})
	return r, l.Model(), err
}

// Over the protocol, with masks and whole units, members get the same bits and the results of
// exact sums. When one is lost before it has published, the others continue.
func TestOverTheProtocol(t *testing.T) {
	parts, all := clients(t)
	c := config(8)
	c.Reduce = true
	own := make([]fedgen.Contribution, len(parts))
	for s, x := range parts {
		var err error
		if own[s], _, err = fedgen.Local(x, c); err != nil {
			t.Fatal(err)
		}
	}
	exact := make([]*gmm.Mixture, len(parts))
	grouptest.Together(t, len(parts), func(g collabdict.Group, s int) (err error) {
		_, exact[s], err = refined(t.Context(), g, gmm.Matrix(parts[s]), own[s], c)
		return err
	})
	want := meanLogLik(t, exact[0], all)
	for lost, faults := range map[int][]netsim.Fault{
		-1: nil,
		4:  {netsim.Stop{Member: 4, Slot: 1, RestartAfter: time.Minute}},
	} {
		net, err := netsim.New(netsim.Config{Names: netsim.Names(len(parts)), Seed: 1, Faults: faults})
		if err != nil {
			t.Fatal(err)
		}
		results, models := make([]*fedgen.Result, len(parts)), make([]*gmm.Mixture, len(parts))
		_, err = net.Run(t.Context(), func(ctx context.Context, s int, g collabdict.Group) (err error) {
			results[s], models[s], err = refined(ctx, g, gmm.Matrix(parts[s]), own[s], c)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		first := fedgen.MomentsOf(models[0])
		for s, x := range parts {
			if s == lost {
				continue
			}
			n, _ := x.Dims()
			rows += n
			m := fedgen.MomentsOf(models[s])
			for k, mean := range m.Means {
				for i, v := range mean {
					if math.Float64bits(v) != math.Float64bits(first.Means[k][i]) {
						t.Fatalf("members 0 and %d hold different mixtures", s)
					}
				}
			}
		}
		if results[0].Rows != rows {
			t.Errorf("member %d lost: the mixture is from %d rows, want %d", lost, results[0].Rows, rows)
		}
		if got := meanLogLik(t, models[0], all); lost < 0 {
			near(t, "mean log-likelihood", got, want, 1e-6)
		}
	}
}
