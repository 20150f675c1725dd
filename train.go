package collabdict

import (
	"context"
	"fmt"
	"math"
)

// Options holds the settings of [Train]. All members must use the same values.
type Options struct {
	// Rounds is the largest number of rounds; at least 1.
	Rounds int
	// Tol stops the training when the objective changes between two rounds by at most Tol times
	// its magnitude. 0 disables this rule.
	Tol float64
	// AbsTol stops the training when the objective changes by less than AbsTol, in its own
	// units: nats per row for a mean log-likelihood. 0 disables this rule. Without either rule,
	// all rounds run.
	AbsTol float64
	// Noisy means that the objective has noise, so that only several rounds show whether it
	// still rises. Training then stops when it has risen by no more than chance over the last
	// ten rounds.
	Noisy bool
	// OnRound, if not nil, is called after every round.
	OnRound func(Round)
}

// A Round is the result of one round.
type Round struct {
	// Number counts from 1.
	Number int
	// Objective is the value of the learner's objective at the parameters from which this
	// round's statistics were computed. That is one step behind the present parameters. Some
	// learners return a lower bound of the objective after the step.
	Objective float64
	// Converged reports whether the stopping rule was met in this round.
	Converged bool
}

// Digester is implemented by learners whose shared parameters have the same bits at all
// members. [Rounds] calls Digest at the start of each round.
type Digester interface {
	Digest() [32]byte
}

// Cumulative is implemented by learners whose statistics belong to a running total, which may be
// another one after an Optimize. Objectives of different running totals are not compared.
type Cumulative interface {
	Running() Running
}

// Train runs Algorithm 1 of Idé et al. 2024 at one participant: l.Start, then rounds of local
// update, consensus and optimise until the stopping rule holds or opt.Rounds are done. It
// returns the last completed round. After an error the learner holds the parameters of that
// round.
//
// The rule looks only at shared values, so all members stop in the same round. It applies only
// to a round whose total is over the same members as the total before.
func Train(ctx context.Context, g Group, l Learner, opt Options) (Round, error) {
	if opt.Rounds < 1 || !(opt.Tol >= 0 && opt.AbsTol >= 0) {
		return Round{}, fmt.Errorf("collabdict: want at least 1 round and tolerances of at least 0, got %d, %g and %g", opt.Rounds, opt.Tol, opt.AbsTol)
	}
	if err := l.Start(ctx, g); err != nil {
		return Round{}, fmt.Errorf("start: %w", err)
	}
	var last float64
	var so course
	return Rounds(g, l, opt.Rounds, func(n int) (Round, error) {
		objective, err := round(ctx, g, l)
		if err != nil {
			return Round{}, err
		}
		r := Round{Number: n, Objective: objective, Converged: n > 1 && opt.stops(last, objective) && g.Membership().Steady}
		if opt.Noisy {
			r.Converged = so.settled(objective, l, g, opt)
		}
		last = objective
		if opt.OnRound != nil {
			opt.OnRound(r)
		}
		return r, nil
	})
}

// Rounds makes rounds 1 to most, or up to the first that has converged, and returns the last
// completed one. It tells the group when each starts; if the learner is a [Digester], members then
// compare the digests of their parameters. [Train] makes its rounds in this way; algorithms whose
// rounds are others call it, too.
func Rounds(g Group, learner any, most int, round func(number int) (Round, error)) (last Round, err error) {
	for n := 1; n <= most && !last.Converged; n++ {
		var parameters [32]byte
		if d, ok := learner.(Digester); ok {
			parameters = d.Digest()
		}
		g.StartRound(n, parameters)
		r, err := round(n)
		if err != nil {
			return last, fmt.Errorf("round %d: %w", n, err)
		}
		last = r
	}
	return last, nil
}

// stops reports whether a rule ends the training after this change of the objective.
func (o Options) stops(from, to float64) bool {
	change := math.Abs(to - from)
	return o.Tol > 0 && change <= o.Tol*math.Abs(to) || change < o.AbsTol
}

func round(ctx context.Context, g Group, l Learner) (objective float64, err error) {
	total, missed := g.TakeMissed()
	if !missed {
		x, err := l.LocalUpdate()
		if err != nil {
			return 0, fmt.Errorf("local update: %w", err)
		}
		if total, err = g.Sum(ctx, x); err != nil {
			return 0, fmt.Errorf("sum: %w", err)
		}
	}
	objective, err = l.Optimize(total, !missed && g.Membership().Included)
	if err != nil {
		return 0, fmt.Errorf("optimize: %w", err)
	}
	return objective, nil
}
