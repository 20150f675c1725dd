package dpem

import (
	"context"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/option"
)

// mostRounds is the default maximum number of rounds without a budget.
const mostRounds = 100

// RoundsOption returns the option for the number of rounds. With a budget, a run makes all of
// them.
func RoundsOption(p *int, b *privacy.Budget) *option.Option {
	return option.Int(p, "rounds", mostRounds, "maximum number of `ROUNDS`; with --epsilon, the exact number (default 12), because the noise is divided among the rounds in advance", option.AtLeast(1),
		option.DefaultBy(func() int {
			if b.Epsilon > 0 {
				return DefaultRounds
			}
			return mostRounds
		}))
}

// Check returns an *option.Error for settings that do not go together.
func Check(b *privacy.Budget, c Config, at algorithm.Coordinates, blur float64, rule privacy.Rule) error {
	switch {
	case blur > 0:
		return option.Errorf("blur", "want 0 with --epsilon, which adds more noise, got %g", blur)
	case rule.Acts():
		return option.Errorf("on-low-diversity", "want %s with --epsilon, whose noise hides rows at any diversity, got %s", privacy.Warn, rule.Policy)
	case c.Rounds < LeastRounds:
		return option.Errorf("rounds", "want at least %d with --epsilon: %d to find where the rows are, the others for their components, got %d", LeastRounds, LeastRounds-1, c.Rounds)
	}
	return b.PrepareTotals(at)
}

// Traits returns the traits of a run; holdsOut depends on the algorithm.
func Traits(b *privacy.Budget, c Config, holdsOut bool) algorithm.Traits {
	noise := b.Noise()
	noise.What, noise.Outweighed = privacy.InTotals, c.Outweighed
	return algorithm.Traits{
		Rounds: c.Rounds, HoldsOut: holdsOut, Patterns: true, LeastRows: 1, Noise: noise,
		Values: func(columns int) int {
			p := expectation{means: *newMeans(c, columns), at: make([]component, c.Components)}
			return max(p.len(), spare*c.Components*(1+columns), 1+columns+columns*(columns+1)/2)
		},
	}
}

// Learn makes the rounds of one participant. The outcome has no model yet, and is empty if
// there is no mixture.
func Learn(ctx context.Context, g collabdict.Group, d algorithm.Data, b *privacy.Budget, c Config, after func(algorithm.Progress)) (algorithm.Outcome, *Mixture, error) {
	c.Quorum, c.Colluders, c.Seed, c.Source = d.Quorum, d.Colluders, d.Seed, d.Source
	l, err := newLearner(d.Rows, c)
	if err != nil {
		return algorithm.Outcome{}, nil, err
	}
	last, err := collabdict.Train(ctx, g, l, collabdict.Options{Rounds: c.Rounds, OnRound: func(r collabdict.Round) {
		after(algorithm.Progress{Round: r, Loss: r.Objective, Step: true})
	}})
	m := l.Mixture()
	if m == nil {
		return algorithm.Outcome{}, nil, err
	}
	last.Converged = last.Number == c.Rounds // a run makes all rounds
	out := algorithm.Outcome{
		Last: last, TotalRows: int(math.Round(passes.Sum(m.Rows))), Warnings: b.Warnings(d.Rows),
		Spends: b.Spend(privacy.InTotals, l.account.Spent()),
	}
	return out, m, err
}
