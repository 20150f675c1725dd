package netsim_test

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/netsim"
)

// Every participant is a function of its rank and its group.
func Example() {
	net, err := netsim.New(netsim.Config{Names: netsim.Names(5), Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = net.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		total, err := g.Sum(ctx, collabdict.Summand{Values: []float64{float64(rank)}, Blocks: []collabdict.Block{{Len: 1, Bound: 10}}})
		if rank == 0 && err == nil {
			fmt.Printf("%d members: %.6f\n", g.Membership().Size, total[0])
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 5 members: 10.000000
	// <nil>
}

// An invalid setting is reported before anything runs.
func ExampleNew() {
	_, err := netsim.New(netsim.Config{
		Names:  netsim.Names(3),
		Faults: []netsim.Fault{netsim.Loss{Rate: 1.5}},
	})
	fmt.Println(err)
	// Output: netsim: loss: rate: want a probability from 0 to 1, got 1.5
}

// average is a learner for the mean of all participants' numbers.
type average struct{ own, mean float64 }

func (a *average) Start(context.Context, collabdict.Group) error { return nil }

func (a *average) LocalUpdate() (collabdict.Summand, error) {
	return collabdict.Summand{Values: []float64{a.own, 1}, Blocks: []collabdict.Block{{Len: 1, Bound: 100}, {Len: 1, Bound: 1}}}, nil
}

func (a *average) Optimize(total []float64, _ bool) (float64, error) {
	a.mean = total[0] / total[1]
	return a.mean, nil
}

// A learner is tested against the known result: the mean of 0, 10, ... 60.
func ExampleNetwork_Run() {
	net, err := netsim.New(netsim.Config{Names: netsim.Names(7), Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	learners := make([]*average, 7)
	_, err = net.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		learners[rank] = &average{own: float64(10 * rank)}
		_, err := collabdict.Train(ctx, g, learners[rank], collabdict.Options{Rounds: 3})
		return err
	})
	for _, l := range learners {
		if err == nil && (math.Abs(l.mean-30) > 1e-6 || l.mean != learners[0].mean) {
			err = fmt.Errorf("got %g and %g, want 30 everywhere", l.mean, learners[0].mean)
		}
	}
	fmt.Println(err)
	// Output: <nil>
}

// The same learner, with exact sums, while a member crashes and messages get lost. The report
// has the events and their virtual times.
func ExampleNetwork_Run_faults() {
	net, err := netsim.New(netsim.Config{
		Names: netsim.Names(7), Seed: 1,
		Settings: consensus.Settings{Scheme: consensus.Exact},
		Latency:  netsim.LogNormal{Median: 20 * time.Millisecond, Sigma: 0.5},
		Compute:  time.Second,
		Faults: []netsim.Fault{
			netsim.Loss{Rate: 0.01},
			netsim.Crash{Member: 6, When: netsim.When{Round: 3, At: 100 * time.Millisecond}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	learners := make([]*average, 7)
	report, err := net.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		learners[rank] = &average{own: float64(10 * rank)}
		_, err := collabdict.Train(ctx, g, learners[rank], collabdict.Options{Rounds: 5})
		return err
	})
	fmt.Println(err, learners[0].mean)
	for _, s := range report.Slots {
		if s.Decision.Round > 0 {
			fmt.Printf("round %d: %d members\n", s.Decision.Round, len(s.Decision.Members))
		}
	}
	fmt.Println(report.Members[6].Err)
	// Output:
	// <nil> 25
	// round 1: 7 members
	// round 2: 7 members
	// round 3: 6 members
	// round 4: 6 members
	// round 5: 6 members
	// stopped as planned
}

func ExampleNames() {
	fmt.Println(netsim.Names(3))
	// Output: [p0001 p0002 p0003]
}
