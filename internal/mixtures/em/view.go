package em

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/partial"
)

// A view is a participant's rows in one system of coordinates. Candidates of several views are
// judged by the same held-out rows, with densities in the coordinates of the first.
type view struct {
	name    string         // empty for the first
	rows    *passes.Reader // all rows, with missing cells filled in
	whole   *passes.Reader // rows without missing cells; nil if there are none
	partial *passes.Reader // rows with missing cells; nil if there are none
	held    *mat.Dense     // own held-out rows; nil if there are none
	stretch []float64      // logarithm of each column's scale, in units of the first view; nil for the first

	agreed columnstats.Bounds
	limits limits // of moments about the origin
	same   *columnstats.SameRows
}

func newView(name string, source, held gmm.Rows, stretch []float64, missing bool) (*view, error) {
	v := &view{name: name, stretch: stretch}
	if err := v.split(source, missing); err != nil {
		return nil, err
	}
	if err := v.rows.Check(math.Ldexp(1, columnstats.MaxExp-1)); err != nil {
		return nil, err
	}
	if held == nil {
		return v, nil
	}
	var err error
	v.held, err = algorithm.Dense(held)
	return v, err
}

func (v *view) split(source gmm.Rows, missing bool) error {
	v.rows = passes.NewReader(source)
	v.whole = v.rows
	if !missing {
		return nil
	}
	all, lacking, err := partial.Complete(source)
	if err != nil || lacking == nil {
		return err
	}
	v.rows, v.partial, v.whole = passes.NewReader(all), passes.NewReader(rows.Subset(source, lacking)), nil
	if len(lacking) < v.rows.N {
		v.whole = passes.NewReader(rows.Without(source, lacking))
	}
	return nil
}

// named names a part of a vector, or a draw, of this view.
func (v *view) named(part string) string { return v.name + part }

// agree agrees with the group on bounds of the statistics.
func (v *view) agree(ctx context.Context, g collabdict.Group, noise float64, missing bool) (err error) {
	if v.agreed, err = columnstats.Agree(ctx, g, v.rows.Rows); err != nil {
		return err
	}
	v.same = columnstats.NewSameRows(g, v.agreed, noise)
	if missing {
		v.same.CountsOnly()
	}
	return nil
}

// preference is what a row must gain per column, in nats, before candidates of another view than the
// first count as better, because the first shows least of where a member's rows are. It counts for at
// most preferring rows of a member, so that a member with many rows does not decide for all.
const (
	preference = 0.03
	preferring = 40
)

// logDensities returns the log density of each held-out row in the coordinates of the first view,
// less the preference.
func (v *view) logDensities(m *gmm.Mixture) []float64 {
	logs := m.LogDensities(nil, v.held)
	price := preference * min(1, preferring/float64(len(logs)))
	for i, s := range v.stretch {
		for j := range logs {
			if !math.IsNaN(v.held.At(j, i)) {
				logs[j] -= s + price
			}
		}
	}
	return logs
}
