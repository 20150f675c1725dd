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
// members. [Train] calls Digest at the start of each round.
type Digester interface {
	Digest() [32]byte
}

// Cumulative is implemented by learners whose statistics belong to a running total, which may be
// another one after an Optimize. Objectives of different running totals are not compared.
type Cumulative interface {
	Running() Running
}

// StartRound reports the start of the round with this number to a group, with the digest of the
// learner's parameters. [Train] calls it before each round; algorithms with rounds of their own must call
// it, too. If the learner is not a [Digester], nothing is compared.
func StartRound(g Group, number int, learner any) {
	var parameters [32]byte
	if d, ok := learner.(Digester); ok {
		parameters = d.Digest()
	}
	g.StartRound(number, parameters)
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
	var last Round
	var so course
	for n := 1; n <= opt.Rounds; n++ {
		StartRound(g, n, l)
		objective, err := round(ctx, g, l)
		if err != nil {
			return last, fmt.Errorf("round %d: %w", n, err)
		}
		converged := n > 1 && opt.stops(last.Objective, objective) && g.Membership().Steady
		if opt.Noisy {
			converged = so.settled(objective, l, g, opt)
		}
		last = Round{Number: n, Objective: objective, Converged: converged}
		if opt.OnRound != nil {
			opt.OnRound(last)
		}
		if converged {
			break
		}
	}
	return last, nil
}

// stops reports whether a rule ends the training after this change of the objective.
func (o Options) stops(from, to float64) bool {
	change := math.Abs(to - from)
	return o.Tol > 0 && change <= o.Tol*math.Abs(to) || change < o.AbsTol
}

func round(ctx context.Context, g Group, l Learner) (objective float64, err error) {
	if total, missed := g.TakeMissed(); missed {
		return optimize(l, total, false)
	}
	x, err := l.LocalUpdate()
	if err != nil {
		return 0, fmt.Errorf("local update: %w", err)
	}
	total, err := g.Sum(ctx, x)
	if err != nil {
		return 0, fmt.Errorf("sum: %w", err)
	}
	return optimize(l, total, g.Membership().Included)
}

func optimize(l Learner, total []float64, included bool) (objective float64, err error) {
	if objective, err = l.Optimize(total, included); err != nil {
		return 0, fmt.Errorf("optimize: %w", err)
	}
	return objective, nil
}
