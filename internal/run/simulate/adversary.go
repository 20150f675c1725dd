package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/attack"
	"github.com/collabdict/collabdict/internal/attack/differencing"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/netsim"
	"github.com/collabdict/collabdict/option"
)

// An Adversary observes a simulation and follows the protocol. The zero value observes nothing.
type Adversary struct {
	// Coalition is the number of members that pool what they see, to recover the others'
	// vectors. The seed chooses them.
	Coalition int
	// Differencing subtracts totals, as any member can.
	Differencing bool
}

// ParseAdversary reads observer, coalition:t=5 or differencing.
func ParseAdversary(s string) (Adversary, error) {
	switch kind, count, _ := strings.Cut(s, ":t="); {
	case s == "":
		return Adversary{}, nil
	case s == "observer":
		return Adversary{Coalition: 1}, nil
	case s == "differencing":
		return Adversary{Differencing: true}, nil
	case kind == "coalition":
		if t, err := strconv.Atoi(count); err == nil && t > 0 {
			return Adversary{Coalition: t}, nil
		}
	}
	return Adversary{}, fmt.Errorf("want observer, differencing, or coalition:t=N with at least 1 member, got %q", s)
}

// Check reports a coalition that leaves no other member to learn about.
func (a Adversary) Check(size int) error {
	if a.Coalition > size-1 {
		return option.Errorf("adversary", "want at most %d members of %d, so that one is left to learn about, got %d", size-1, size, a.Coalition)
	}
	return nil
}

// watch holds the observations of an adversary.
type watch struct {
	coalition *attack.Recorder
	totals    *differencing.Watch
}

func (a Adversary) watch(t *pipeline.Task, size int) (w watch) {
	if a.Coalition > 0 {
		w.coalition = attack.NewRecorder(t.Settings, netsim.RunID(t.Seed), size, attack.Coalition(t.Seed, size, a.Coalition))
	}
	if a.Differencing {
		w.totals = differencing.NewWatch(size)
	}
	return w
}

func (w watch) observers() (all observers) {
	if w.coalition != nil {
		all = append(all, w.coalition)
	}
	if w.totals != nil {
		all = append(all, w.totals)
	}
	return all
}

// enter adds the adversary's findings to the result and the models.
func (w watch) enter(run *Run, t *pipeline.Task, parts []dataset.Participant, trained func() ([]dataset.Participant, error)) error {
	if w.coalition != nil {
		w.enterCoalition(run.Report, t, parts)
	}
	if w.totals != nil {
		of, err := trained()
		if err != nil {
			return err
		}
		rows, err := run.trainedOn(of)
		if err != nil {
			return err
		}
		seen := differencing.World{Slots: w.totals.Slots(), Trained: rows}
		f, m := seen.Compare(), seen.Recover()
		d := &report.Differencing{Rows: f.Rows, Start: f.Start, Rounds: f.Rounds, Chance: f.Chance, Of: f.Of, Recovered: []string{}, ErrorMedian: m.Error}
		for _, rank := range m.Members {
			d.Recovered = append(d.Recovered, parts[rank].Name)
		}
		run.Report.Protection.Differencing = d
	}
	for _, m := range run.Models {
		if m != nil {
			m.Manifest.Privacy.Protection = run.Report.Protection
		}
	}
	return nil
}

// enterCoalition adds the coalition's findings, and the prediction for its size.
func (w watch) enterCoalition(run *report.Run, t *pipeline.Task, parts []dataset.Participant) {
	r := w.coalition
	r.Finish()
	p := pipeline.ProtectionAgainst(t.Settings, len(parts), len(r.Members()))
	for _, m := range r.Members() {
		p.Adversary = append(p.Adversary, parts[m].Name)
	}
	breached, perSum := r.Breached(), r.PerSum()
	p.BreachMeasured, p.BreachPerSum = &breached, &perSum
	run.Protection = p
}

// trainedOn returns the training rows of each participant in the coordinates of the totals.
func (r *Run) trainedOn(parts []dataset.Participant) (all []*mat.Dense, err error) {
	m := r.Models[slices.IndexFunc(r.Models, func(m *model.Model) bool { return m != nil })]
	for _, p := range parts {
		z, err := unitsOf(m, p.Train)
		if err != nil {
			return nil, err
		}
		var values []float64
		if err := lanes.EachRow(z, func(row []float64) { values = append(values, row...) }); err != nil {
			return nil, err
		}
		_, dim := z.Dims()
		all = append(all, mat.NewDense(len(values)/dim, dim, values))
	}
	return all, nil
}
