package collabdict

import (
	"context"
	"fmt"
	"math"
)

// Options steers [Train]. All members must use the same values.
type Options struct {
	// Rounds is the largest number of rounds; at least 1.
	Rounds int
	// Tol stops the training when the objective changes by at most Tol times
	// its magnitude between two rounds. 0 leaves this rule out.
	Tol float64
	// AbsTol stops the training when the objective changes by less than AbsTol, in its
	// own units: for a mean log-likelihood, nats per row. 0 leaves this rule out. With
	// neither rule all rounds are run.
	AbsTol float64
	// Noisy says that the objective has noise, so that it tells only over several rounds whether it
	// still rises. Training then stops when it has risen by no more than chance in the last ten.
	Noisy bool
	// OnRound, if not nil, is called after every round.
	OnRound func(Round)
}

// Round is what is known at the end of a round.
type Round struct {
	// Number counts from 1.
	Number int
	// Objective is the value of the learner's objective at the parameters that
	// this round's statistics were computed with, so one step behind the
	// parameters now held; of some learners a lower bound of it after the step.
	Objective float64
	// Converged says that the stopping rule was met in this round.
	Converged bool
}

// RoundStarter is implemented by groups that want to know where a round begins:
// a view may grow only there. Train calls StartRound before every round, from 1.
type RoundStarter interface {
	StartRound(number int)
}

// Comparer is implemented by groups that compare what their members compute from.
type Comparer interface {
	// Compare hands over the digest of the parameters that this member holds, which its
	// part of the collectives from now on follows from. A collective whose members hold
	// different ones fails at all of them, before any value is combined, with an error
	// that names those that differ from most. Zero stands for no digest.
	Compare(parameters [32]byte)
}

// Digester is implemented by learners whose shared parameters have the same bits at all
// members. Digest is called at the start of each round.
type Digester interface {
	Digest() [32]byte
}

// StartRound informs a group that a round begins, and gives it the digest of the
// learner's parameters, if the group takes these. [Train] calls it before each round; algorithms with rounds of their own do
// so themselves. A learner that is no [Digester] has nothing compared.
func StartRound(g Group, number int, learner any) {
	if s, ok := g.(RoundStarter); ok {
		s.StartRound(number)
	}
	c, compares := g.(Comparer)
	if d, ok := learner.(Digester); ok && compares {
		c.Compare(d.Digest())
	}
}

// Train runs Algorithm 1 of Idé et al. 2024 at one participant: l.Start, then
// rounds of local update, consensus and optimise until the stopping rule holds
// or opt.Rounds are done. It returns the last round completed. After an error
// the learner holds the parameters of that round. The rule looks at shared
// values only, so all members stop in the same round, and only at one whose total is over
// the same members as the total before.
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
		converged := n > 1 && opt.stops(last.Objective, objective) && steady(g)
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

// steady reports whether the totals of this round and of the one before are comparable.
func steady(g Group) bool {
	a, may := g.(Absentee)
	return !may || a.Steady()
}

func round(ctx context.Context, g Group, l Learner) (objective float64, err error) {
	absentee, may := g.(Absentee)
	if may {
		if total, missed := absentee.TakeMissed(); missed {
			return optimize(l, total, false)
		}
	}
	x, blocks, err := l.LocalUpdate()
	if err != nil {
		return 0, fmt.Errorf("local update: %w", err)
	}
	var total []float64
	if c, ok := l.(Cumulative); ok {
		total, err = g.Accumulate(ctx, c.Running(), x, blocks)
	} else {
		total, err = g.Sum(ctx, x, blocks)
	}
	if err != nil {
		return 0, fmt.Errorf("sum: %w", err)
	}
	return optimize(l, total, !may || absentee.Included())
}

func optimize(l Learner, total []float64, included bool) (objective float64, err error) {
	if objective, err = l.Optimize(total, included); err != nil {
		return 0, fmt.Errorf("optimize: %w", err)
	}
	return objective, nil
}
