package pipeline

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/journal/ledger"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/report"
)

// Told returns the part of a run's disclosures that the ledger cannot read from its slots.
func (t *Task) Told(r *Result) report.Told {
	told := told(r.Inventory)
	told.Rows, told.Noise = float64(r.TotalRows), t.noise(r.Spends)
	if m, ok := r.Model.Learned.(interface{ ComponentRows() []float64 }); ok && m.ComponentRows() != nil {
		told.LeastRows = slices.Min(m.ComponentRows())
	}
	return told
}

// ToBeTold returns the part of Told that is known before the first sum.
func (t *Task) ToBeTold(g collabdict.Group) report.Told {
	told := told(t.Inventory(g))
	told.Noise = t.noise(nil)
	return told
}

func told(items []algorithm.Item) (t report.Told) {
	for _, i := range items {
		switch {
		case i.Form != algorithm.Summed:
			t.Published = append(t.Published, line(i))
		case i.When == algorithm.AtStart:
			t.Learned = append(t.Learned, i.What)
		default:
			t.Rounds = append(t.Rounds, line(i))
		}
	}
	return t
}

// noise returns the ledger entries of losses bounded by noise.
func (t *Task) noise(spends []algorithm.Spend) (entries []report.Entry) {
	if n := t.Traits().Noise; n != nil && len(spends) == 0 {
		spends = []algorithm.Spend{{What: n.What, ZCDP: float64(privacy.Allowed(n.Epsilon, n.Delta)), Delta: n.Delta, Of: "one row of a member more or less"}}
	}
	if blur := t.Traits().Blur; blur > 0 {
		entries = append(entries, report.Entry{
			Kind: report.NoiseEntry, SeenBy: report.AllMembers, Times: 1,
			What: fmt.Sprintf("noise of %g rows in each coordinate of a total over components. It hides a row from the subtraction of totals. It has no epsilon: rows are not clipped, and half of its variance is the same in all rounds. The number of all rows has none", blur),
		})
	}
	for _, s := range spends {
		spend := ledger.SpendOf(privacy.ZCDP(s.ZCDP), s.Delta, s.Of)
		entries = append(entries, report.Entry{
			Kind: report.NoiseEntry, What: "noise in " + s.What, SeenBy: report.AllMembers, Times: 1,
			Spend: &spend,
		})
	}
	return entries
}
