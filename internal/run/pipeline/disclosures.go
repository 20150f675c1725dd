package pipeline

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/report"
)

// Disclosures returns the part of a run's disclosures that the ledger cannot read from its slots.
func (t *Task) Disclosures(r *Result) report.Disclosures {
	all := disclosed(r.Inventory)
	all.Rows, all.Noise = float64(r.TotalRows), t.noise(r.Spends)
	if m, ok := r.Model.Learned.(interface{ ComponentRows() []float64 }); ok && m.ComponentRows() != nil {
		all.LeastRows = slices.Min(m.ComponentRows())
	}
	return all
}

// PlannedDisclosures returns the part of Disclosures that is known before the first sum.
func (t *Task) PlannedDisclosures(g collabdict.Group) report.Disclosures {
	all := disclosed(t.Inventory(g))
	all.Noise = t.noise(nil)
	return all
}

func disclosed(items []algorithm.Item) (t report.Disclosures) {
	for _, i := range items {
		switch {
		case i.Form != algorithm.Summed:
			t.Published = append(t.Published, Line(i))
		case i.When == algorithm.AtStart:
			t.Learned = append(t.Learned, i.What)
		default:
			t.Rounds = append(t.Rounds, Line(i))
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
		spend := report.SpendOf(privacy.ZCDP(s.ZCDP), s.Delta, s.Of)
		entries = append(entries, report.Entry{
			Kind: report.NoiseEntry, What: "noise in " + s.What, SeenBy: report.AllMembers, Times: 1,
			Spend: &spend,
		})
	}
	return entries
}
