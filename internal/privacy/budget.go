package privacy

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/option"
)

// Budget holds the settings that make what participants show differentially private for each
// single row. With an Epsilon of 0 there is no noise.
type Budget struct {
	Epsilon, Delta float64
	// Clip bounds the distance of values from the middle of their range, in the coordinates of
	// training, without a look at the rows. Each algorithm defines the distance. Rows beyond
	// the bound are moved to it.
	Clip float64

	middle float64
}

// Middle returns the middle of the assumed range of each coordinate, which extends by Clip to
// either side. It is known after Prepare.
//
// Noise has to cover a row at the bound. If the range is wider than the values because its
// middle is wrong, the noise is larger by the same factor: twice as large for values from 0 to
// 1 in a range about 0.
func (b *Budget) Middle() float64 { return b.middle }

// Options returns the options that set the fields.
func (b *Budget) Options() option.Table {
	noisy := func() bool { return b.Epsilon != 0 }
	return option.Table{
		option.Float(&b.Epsilon, "epsilon", 0, "add noise so that what training reveals is (`E`, delta)-differentially private for one row added or removed; a smaller E means more noise (default no noise)",
			option.Above(0, 100), option.Optional[float64]("leave it out to add no noise")),
		option.Float(&b.Delta, "delta", 1e-5, "with --epsilon: `PROBABILITY` delta with which the guarantee may fail; keep it well below 1 / number of rows", option.Check(func(v float64) error {
			if !(v > 0 && v < 1) {
				return fmt.Errorf("want a probability between 0 and 1, got %g", v)
			}
			return nil
		})).Needs("--epsilon", noisy).ForExperts(),
		option.Float(&b.Clip, "clip", 0, "with --epsilon: clip rows to `C` per column, from 0 or the middle of the range; smaller values need less noise but distort more rows (default 0.5 for columns from 0 to 1)",
			option.Above(0, 1e9), option.Optional[float64]("leave it out for the default")).Needs("--epsilon", noisy).ForExperts(),
	}
}

// Prepare checks and completes the settings for rows in the given coordinates.
func (b *Budget) Prepare(c algorithm.Coordinates) error {
	if c.UnitRange {
		b.middle = 0.5
	}
	switch {
	case b.Epsilon == 0:
		return nil
	case c.ByRows():
		return &option.Error{
			Name: "epsilon", Msg: "the rows would decide how columns are scaled or projected, and no noise covers that: a single outlying row changes the units of everything shown",
			Hint: "scale by agreed ranges (--ranges) or not at all (--standardise none --clip C), and leave out --pca",
		}
	case b.Clip != 0:
	case c.UnitRange:
		b.Clip = 0.5 // all rows are within, except those beyond agreed ranges
	default:
		return &option.Error{
			Name: "clip", Msg: "want a bound, because values that are not standardised have none that is known without looking at the rows, got none",
			Hint: "set --clip C",
		}
	}
	return nil
}

// Noise describes the noise in what each member shows; nil if there is none.
func (b *Budget) Noise() *algorithm.Noise {
	if b.Epsilon == 0 {
		return nil
	}
	return &algorithm.Noise{Epsilon: b.Epsilon, Delta: b.Delta, What: InTheClear}
}

// InTotals and InTheClear name what a budget is spent on.
const (
	InTotals   = "all totals of the run"
	InTheClear = "all that each member shows of its rows in the clear"
)

// discreteness is an upper bound of the total variation between the totals of a run with
// [Discrete] noise and totals with normal noise rounded to the same grid. One value has less
// than 2⁻⁵⁶ of it, and a run has fewer than 7·10⁵ values in all.
const discreteness = 1e-11

// Loss returns the loss that the settings allow for all that a participant shows in the clear.
func (b *Budget) Loss() ZCDP { return Allowed(b.Epsilon, b.Delta) }

// Spend describes a part of the budget that is spent.
func (b *Budget) Spend(what string, spent ZCDP) []algorithm.Spend {
	return []algorithm.Spend{{What: what, ZCDP: float64(spent), Delta: b.Delta, Of: "one row of a member more or less"}}
}

// TotalsLoss returns the loss that the settings allow for all totals of a run together. A part
// of Delta covers the grid of the noise.
func (b *Budget) TotalsLoss() ZCDP {
	return Allowed(b.Epsilon, b.Delta-discreteness*(1+math.Exp(b.Epsilon)))
}

// PrepareTotals is Prepare for a budget that is spent on totals.
func (b *Budget) PrepareTotals(c algorithm.Coordinates) error {
	if discreteness*(1+math.Exp(b.Epsilon)) > b.Delta/2 {
		return option.Errorf("epsilon", "want at most %.3g with this delta, got %g", math.Log(b.Delta/2/discreteness), b.Epsilon)
	}
	return b.Prepare(c)
}

// Hides reports whether a participant adds noise. A participant that learns alone has no source of
// noise, and shows nothing. The result does not depend on the group's size, because that counts
// only the members of the last collective.
func (b *Budget) Hides(d algorithm.Data) bool { return b.Epsilon != 0 && d.Source != nil }

// LeastRows returns the number of training rows that a participant needs, given the number without
// noise. With noise it is 1: nobody may learn from an error that one row is missing.
func (b *Budget) LeastRows(without int) int {
	if b.Epsilon != 0 {
		return 1
	}
	return without
}

// Published describes what each member publishes, with the noise if there is any.
func (b *Budget) Published(e collabdict.Entry, shown string) algorithm.Item {
	i := algorithm.Item{Entry: e, What: shown, Form: algorithm.Published, When: algorithm.Once}
	if b.Epsilon != 0 {
		i.Epsilon = algorithm.Covered
		i.Hidden = fmt.Sprintf("noise, (%g, %g)-differentially private for one row added or removed", b.Epsilon, b.Delta)
	}
	return i
}

// Warnings returns a warning if delta is so large that showing one of the own rows at random
// would count as private.
func (b *Budget) Warnings(rows collabdict.Rows) []string {
	n, _ := rows.Dims()
	if b.Epsilon == 0 || b.Delta*float64(n) < 1 {
		return nil
	}
	return []string{fmt.Sprintf("privacy: with delta %g and %d own rows, showing a whole row would count as private: set a smaller --delta", b.Delta, n)}
}
