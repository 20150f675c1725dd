package oneshot

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// tolerance ends EM everywhere (section 5.5), in nats per row.
const tolerance = 1e-3

// fewest is the number of rows per component from which a participant's own mixture counts in
// the mean of local mixtures, if any participant has as many. The likelihood of all rows under
// a mixture of a handful of rows is nearly 0, whatever the others' are.
const fewest = 10

// Outcome is the result of a method.
type Outcome struct {
	LogLik float64 `json:"loglik"` // mean over the training rows of all participants, in nats
	PRAUC  float64 `json:"prauc"`  // area by minus the log density, over the test rows
	Rounds int     `json:"rounds"` // rounds of communication until the method stops
	// Trace is LogLik of the mixtures after 0, 1, ... rounds of sums.
	Trace []float64 `json:"trace,omitempty"`
}

// trial is one deal of the rows.
type trial struct {
	plan
	sample
	parts  []*mat.Dense // rows of participants that have any
	config fedgen.Config
	own    []fedgen.Contribution // of parts
	target float64
}

func newTrial(p plan, s sample) (*trial, error) {
	t := &trial{plan: p, sample: s, target: math.Inf(-1)}
	t.config = fedgen.Config{
		Local: fedgen.Range{Min: p.each, Max: p.each}, Global: fedgen.Range{Min: p.k, Max: p.k},
		EM:   gmm.EM{Form: gmm.Diag, Tol: tolerance},
		Seed: seed(p.repeat, "fits"), MinRows: 1,
	}
	if p.each == 0 {
		return t, nil
	}
	split := partition.Split{Kind: p.set.kind, Clients: p.clients, Alpha: p.level, Column: "class"}
	hands, err := split.Deal(s.classes, source(p.repeat, "deal").Uint64())
	if err != nil {
		return nil, err
	}
	for _, hand := range hands {
		if len(hand) > 0 {
			t.parts = append(t.parts, rows.Picked(s.train, hand))
		}
	}
	return t, t.fitLocal()
}

func (t *trial) fitLocal() error {
	t.own = make([]fedgen.Contribution, len(t.parts))
	errs := make([]error, len(t.parts))
	parallel.For(len(t.parts), func(s int) { t.own[s], _, errs[s] = fedgen.Local(t.parts[s], t.config) })
	for s, err := range errs {
		if err != nil {
			return fmt.Errorf("participant %d: %w", s+1, err)
		}
	}
	return nil
}

func (t *trial) outcomes(ctx context.Context) (map[string]Outcome, error) {
	out := map[string]Outcome{}
	for _, name := range t.methods {
		o, err := t.run(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = o
	}
	return out, nil
}

func (t *trial) run(ctx context.Context, name string) (Outcome, error) {
	switch name {
	case pooled:
		return t.pooled()
	case local:
		return t.local()
	case synthetic:
		return t.oneRound(ctx, false)
	case reduced:
		return t.oneRound(ctx, true)
	}
	return t.rounds(ctx, name)
}

func (t *trial) pooled() (Outcome, error) {
	choices, best, err := fedgen.Select(t.train, t.config.Global, t.config.EM, t.config.Seed)
	if err != nil {
		return Outcome{}, err
	}
	return t.score(choices[best].Mixture)
}

// local returns the mean outcome of the participants' own mixtures.
func (t *trial) local() (Outcome, error) {
	own, err := t.mixtures(fewest * t.each)
	if len(own) == 0 && err == nil {
		own, err = t.mixtures(0)
	}
	if err != nil {
		return Outcome{}, err
	}
	return t.score(own...)
}

// mixtures returns the mixtures of participants with at least the given number of rows.
func (t *trial) mixtures(least int) (own []*gmm.Mixture, err error) {
	for _, c := range t.own {
		if c.Rows < least {
			continue
		}
		m, err := c.Mixture()
		if err != nil {
			return nil, err
		}
		own = append(own, m)
	}
	return own, nil
}

// oneRound runs FedGenGMM, and rounds of sums after it if there is a target.
func (t *trial) oneRound(ctx context.Context, reduce bool) (Outcome, error) {
	c := t.config
	c.Reduce = reduce
	r, err := fedgen.Aggregate(t.own, c)
	if err != nil {
		return Outcome{}, err
	}
	o, err := t.score(r.Mixture)
	if err != nil {
		return o, err
	}
	if o.Rounds = 1; t.onward {
		_, o.Trace, err = t.onwards(ctx, from(r.Mixture))
	}
	return o, err
}

// score returns the mean outcome over mixtures.
func (t *trial) score(mixtures ...*gmm.Mixture) (o Outcome, err error) {
	share := 1 / float64(len(mixtures))
	for _, m := range mixtures {
		mean, err := m.MeanLogLik(gmm.Matrix(t.train))
		if err != nil {
			return o, err
		}
		scores := m.LogDensities(nil, t.test)
		floats.Scale(-1, scores)
		area, ok := metrics.PRAUC(scores, t.labels)
		if !ok {
			return o, fmt.Errorf("the rows that are scored want both normal ones and anomalies")
		}
		o.LogLik += share * mean
		o.PRAUC += share * area
	}
	return o, nil
}
