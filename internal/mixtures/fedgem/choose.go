package fedgem

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
)

const folds = 3

// ChooseFactor returns the factor for [Factor] that clusters held-out rows best, in three folds
// over the rows of every member. In each fold the rounds run only once, because they do not
// depend on the factor. The last merge is gathered once, too, and all members derive the
// clusters of every factor from it. The function score rates a clustering of rows from −1 to 1,
// as the silhouette does. Members learn only the sums of its values over all members. All
// members must give the same factors.
func ChooseFactor(ctx context.Context, g collabdict.Group, x *mat.Dense, c Config, factors []float64, score func(x *mat.Dense, labels []int) float64) (float64, error) {
	c = c.withDefaults()
	n, _ := x.Dims()
	if n < 2*folds || len(factors) == 0 {
		return 0, fmt.Errorf("fedgem: want at least %d rows and at least 1 factor to choose from, got %d and %d", 2*folds, n, len(factors))
	}
	if c.Noise != nil {
		return 0, fmt.Errorf("fedgem: a factor chosen by held-out rows reveals something about them: give one factor, or leave out the noise")
	}
	if c.once() {
		return 0, fmt.Errorf("fedgem: clusters of two thirds of the rows, shown next to those of all rows, reveal few rows: give one factor, or set min rows to 1")
	}
	order := rand.New(rand.NewPCG(c.Seed, 1)).Perm(n)
	scores := make([]float64, len(factors))
	for f := range folds {
		var train, held []int
		for i, row := range order {
			if i%folds == f {
				held = append(held, row)
			} else {
				train = append(train, row)
			}
		}
		if err := scoreFactors(ctx, g, rows.Picked(x, train), rows.Picked(x, held), c, factors, score, scores); err != nil {
			return 0, fmt.Errorf("fold %d of %d: %w", f+1, folds, err)
		}
	}
	total, err := g.Sum(ctx, collabdict.Summand{Entry: factorsEntry, Values: scores, Blocks: []collabdict.Block{{Len: len(scores), Bound: folds + 1e-6}}})
	if err != nil {
		return 0, fmt.Errorf("sum of the scores: %w", err)
	}
	return factors[floats.MaxIdx(total)], nil
}

// scoreFactors adds the scores of one fold to scores.
func scoreFactors(ctx context.Context, g collabdict.Group, train, held *mat.Dense, c Config, factors []float64, score func(*mat.Dense, []int) float64, scores []float64) error {
	rows, _ := train.Dims()
	if err := c.check(rows); err != nil {
		return err
	}
	l, err := newLocal(train, c)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if _, err := l.rounds(ctx, g); err != nil {
		return err
	}
	own, err := l.last(Factor{1})
	if err != nil {
		return err
	}
	all, err := l.exchange(ctx, g, own.regions)
	if err != nil {
		return err
	}
	// With the largest factor, regions have all the links that they have with smaller factors.
	all.meeting = sync.OnceValue(func() []link { return links(all.scaled(slices.Max(factors), c.Half).regions) })
	for i, v := range factors {
		r := &Result{local: &local{config: c, x: train, mix: l.mix}}
		if err := r.merge(all.scaled(v, c.Half), own); err != nil {
			return err
		}
		if s := score(held, r.Labels(held)); !math.IsNaN(s) {
			scores[i] += max(-1, min(1, s))
		}
	}
	return nil
}

// scaled returns the regions that would have been gathered with the given factor in place of 1.
func (a gathered) scaled(factor float64, half bool) gathered {
	if half {
		factor = math.Sqrt(factor)
	}
	a.regions = slices.Clone(a.regions)
	for i := range a.regions {
		a.regions[i].radius *= factor
	}
	return a
}
