package beta

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/networks/average"
	"github.com/collabdict/collabdict/internal/networks/discrepancy"
)

// Standing is a member's weight and the discrepancy that it follows from.
type Standing struct {
	Discrepancy float64
	Weight      discrepancy.Weight
}

// weigh agrees on weights, measured by the given model, if any.
func (l *Learner) weigh(ctx context.Context, g collabdict.Group, by *Model) error {
	rule, d, err := l.discrepancy(by)
	if err != nil {
		return err
	}
	rows := float64(len(l.own.Rows) / l.config.Inputs)
	most, err := average.Bounds(ctx, g, discrepancy.Entry, []float64{rows, math.Max(0, d)})
	if err != nil {
		return fmt.Errorf("bounds of rows and discrepancies: %w", err)
	}
	// A member that was not in that sum may have more than all others. It then counts like the
	// largest of them, and has at most all of the weight.
	member := discrepancy.Member{Rows: min(rows, most[0]), Discrepancy: min(d, most[1])}
	own := Standing{Discrepancy: d}
	own.Weight, err = rule.Agree(ctx, g, member, discrepancy.Member{Rows: most[0], Discrepancy: most[1]})
	if err != nil {
		return err
	}
	own.Weight.P = min(own.Weight.P, 1)
	var all []*Standing
	if l.config.Weights.Publish {
		blobs, err := g.Gather(ctx, weightsEntry, encode(own))
		if err != nil {
			return fmt.Errorf("gather standings: %w", err)
		}
		if all, err = decodeAll(blobs); err != nil {
			return err
		}
	}
	l.standing, l.all = own, all
	return nil
}

// discrepancy returns the discrepancy of the own data, and the rule for it. Before there is a
// model that encodes rows, there is no discrepancy, and weights are shares of the rows.
func (l *Learner) discrepancy(by *Model) (discrepancy.Rule, float64, error) {
	w := l.config.Weights
	switch {
	case w.By == None:
		return w.Rule, 0, nil
	case w.By == Labels:
		d, err := discrepancy.Labels(l.own.Labels)
		return w.Rule, d, err
	case by == nil:
		return discrepancy.FedAvg(), 0, nil
	}
	z, err := by.Encode(l.own.Rows, l.source(encoding))
	if err != nil {
		return w.Rule, 0, err
	}
	d, err := discrepancy.Latent(z, l.config.Latent, w.Debias)
	return w.Rule, d, err
}

// The purposes for which a member draws random numbers.
const (
	encoding = iota
	ordering
	noising
)

// source returns a separate random stream for each purpose of each round.
func (l *Learner) source(purpose uint64) rand.Source {
	return rand.NewPCG(l.own.Seed, uint64(l.rounds)<<8|purpose)
}
