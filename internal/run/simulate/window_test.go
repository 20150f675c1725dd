package simulate

import (
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/netsim"
)

// All members that finish have the window on which those in the view have settled, also one that was
// lost in that slot and has returned. Figures and baselines are of the same rows.
func TestWindowIsFoundByThoseInTheView(t *testing.T) {
	for _, c := range []struct {
		members int // all but two have rows that gain
		lost    []netsim.Fault
		want    int
	}{
		{5, nil, 20},
		{4, nil, 0},
		{6, []netsim.Fault{back(5, orderSlot)}, 20},
		{5, []netsim.Fault{back(4, orderSlot)}, 0},
		{5, []netsim.Fault{back(4, orderSlot+2)}, 20},
	} {
		of := mixture("ggm", "standardise=own", "rounds=6").finding().with(c.members)
		parts, err := of.draw(0)
		if err != nil {
			t.Fatal(err)
		}
		k := of.task(t)
		run, err := SimulateUnder(t.Context(), Conditions{stops: c.lost}, k, parts, nil)
		if err != nil {
			t.Fatal(err)
		}
		if run.Report.Window != c.want {
			t.Errorf("%+v: a window of %d, want %d", c, run.Report.Window, c.want)
		}
		if err := AddBaselines(t.Context(), run.Report, k, []string{BaselineAlone, BaselinePooled}, parts, parts); err != nil {
			t.Fatal(err)
		}
		columns := dataset.Window(parts, c.want)[0].Columns
		for i, m := range run.Models {
			if m == nil {
				continue
			}
			if p := run.Report.Participants[i]; m.Manifest.Window != c.want || len(m.Manifest.Columns) != len(columns) || !p.Loglik.Defined || !p.Baselines.Pooled.Loglik.Defined || !p.Baselines.Alone.Loglik.Defined {
				t.Errorf("%+v: member %d has a window of %d over %v, log-likelihood %v", c, i, m.Manifest.Window, m.Manifest.Columns, p.Loglik)
			}
		}
	}
}
