package netsim_test

import (
	"context"
	"fmt"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/netsim"
)

var exact = consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks}

// Every participant is a function that is given its rank and its view of the
// others.
func ExampleRun() {
	_, err := netsim.Run(context.Background(), netsim.Config{Names: netsim.Names(5), Settings: exact, Seed: 1},
		func(ctx context.Context, rank int, g collabdict.Group) error {
			total, err := g.Sum(ctx, []float64{float64(rank)}, []collabdict.Block{{Len: 1, Bound: 10}})
			if rank == 0 && err == nil {
				fmt.Println(g.Size(), "members:", total[0])
			}
			return err
		})
	fmt.Println(err)
	// Output:
	// 5 members: 10
	// <nil>
}

// average learns the mean of all participants' numbers: a learner of one's own.
type average struct{ own, mean float64 }

func (a *average) Start(context.Context, collabdict.Group) error { return nil }

func (a *average) LocalUpdate() ([]float64, []collabdict.Block, error) {
	return []float64{a.own, 1}, []collabdict.Block{{Len: 1, Bound: 100}, {Len: 1, Bound: 1}}, nil
}

func (a *average) Optimize(total []float64, _ bool) (float64, error) {
	a.mean = total[0] / total[1]
	return a.mean, nil
}

// A learner is trained as by real nodes, while members crash and messages get lost.
func ExampleRun_faults() {
	learners := make([]*average, 7)
	report, err := netsim.Run(context.Background(), netsim.Config{
		Names: netsim.Names(len(learners)), Settings: exact, Seed: 1,
		Latency: netsim.LogNormal{Median: 20 * time.Millisecond, Sigma: 0.5},
		Compute: time.Second,
		Faults: []netsim.Fault{
			netsim.Loss{Rate: 0.01},
			netsim.Crash{Member: 6, When: netsim.When{Round: 3, At: 100 * time.Millisecond}},
		},
	}, func(ctx context.Context, rank int, g collabdict.Group) error {
		learners[rank] = &average{own: float64(10 * rank)}
		_, err := collabdict.Train(ctx, g, learners[rank], collabdict.Options{Rounds: 5})
		return err
	})
	fmt.Println(err, learners[0].mean)
	for _, m := range report.Members[0].Decisions[6].Missing {
		fmt.Println("missing in the last round:", report.Members[m.Member].Err)
	}
	// Output:
	// <nil> 25
	// missing in the last round: stopped by plan
}

func ExampleNames() {
	fmt.Println(netsim.Names(3))
	// Output: [p0001 p0002 p0003]
}
