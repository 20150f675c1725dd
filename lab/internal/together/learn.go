package together

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/simulate"
	"github.com/collabdict/collabdict/model"
)

// The program's methods.
const (
	together = "together"
	alone    = "alone"
	pooled   = "pooled"
)

var methods = []string{together, alone, pooled}

// variant is settings that differ from the defaults.
type variant struct {
	Name string `json:"name"`
	// Options are settings as NAME=VALUE, and those of the consensus as consensus.NAME=VALUE.
	// The option model=KIND, which must be first, selects another kind of model.
	Options []string `json:"options"`
	// With selects how rows are scored: shared, alone or blend, for models that have a choice.
	With string `json:"with,omitempty"`
}

// cell returns the name of the results with these settings.
func (v variant) cell() []string {
	if v.With == "" {
		return v.Options
	}
	return append(slices.Clone(v.Options), "with "+v.With)
}

// task returns the task that the command would run with these settings, and otherwise only the
// seed set.
func (v variant) task(way string, seed uint64) (*pipeline.Task, error) {
	kind, options := algorithms.Default().Name, v.Options
	if len(options) > 0 && strings.HasPrefix(options[0], "model=") {
		kind, options = strings.TrimPrefix(options[0], "model="), options[1:]
	}
	t, err := pipeline.Named(kind)
	if err != nil {
		return nil, err
	}
	for _, o := range append([]string{fmt.Sprintf("seed=%d", seed)}, options...) {
		name, text, _ := strings.Cut(o, "=")
		if err := t.Set(name, text); err != nil {
			return nil, err
		}
	}
	if way == natural { // as in the command with rows divided by a file or a column
		t.ByDefault = algorithm.Auto
	}
	return t, t.Complete()
}

// outcome is the result of a method.
type outcome struct {
	// ROC and PR have the areas under the curves of each participant whose test rows have both
	// classes, in the same order for all methods.
	ROC, PR []float64
	// Loglik is the mean of ln p(x) over the normal test rows of all participants, in the units
	// of the files: nats, which compare methods of one set and seed. It is nil if the model has
	// no density of rows.
	Loglik *float64
	// Above is the share of normal test rows above the thresholds of their participants.
	Above   float64
	Seconds float64
	// Verdicts are those of the participants in ROC that learn together.
	Verdicts []verdict
}

// learn learns with a method, and tests.
func learn(ctx context.Context, t *pipeline.Task, method, with string, all []hand) (o outcome, err error) {
	parts := participants(all)
	start := time.Now()
	var models []*model.Model
	switch method {
	case alone:
		models, err = simulate.Alone(ctx, t, parts)
	case pooled:
		models, err = simulate.Pooled(ctx, t, parts)
	default:
		var run *simulate.Run
		if run, err = simulate.Simulate(ctx, t, untested(parts), nil); err == nil {
			models = run.Models
		}
	}
	if err != nil {
		return o, err
	}
	o.Seconds = time.Since(start).Seconds()
	var sum, tested float64
	for i, h := range all {
		if models[i] == nil || models[i].Scorer() == nil {
			return o, fmt.Errorf("%s, %s: want a model that scores rows, got none", method, parts[i].Name)
		}
		if with != "" && models[i].Local != nil { // participants with few rows have no local part
			if err := models[i].With(with); err != nil {
				return o, err
			}
		}
		normal, _ := parted(h.test)
		if len(normal) > 0 {
			above, err := above(models[i], normal)
			if err != nil {
				return o, err
			}
			o.Above += above
			mean, err := logDensity(models[i], normal)
			if err != nil {
				return o, err
			}
			sum, tested = sum+mean*float64(len(normal)), tested+float64(len(normal))
		}
		if !h.both() {
			continue
		}
		e, err := pipeline.Evaluate(models[i], parts[i])
		if err != nil {
			return o, err
		}
		if !e.ROCAUC.Defined {
			return o, fmt.Errorf("%s, %s: a score is not a number", method, parts[i].Name)
		}
		o.ROC, o.PR = append(o.ROC, e.ROCAUC.Value), append(o.PR, e.PRAUC.Value)
		if method == together {
			v, err := verdictOf(models[i], h)
			if err != nil {
				return o, err
			}
			if v != nil {
				o.Verdicts = append(o.Verdicts, *v)
			}
		}
	}
	o.Above /= tested
	if mean := sum / tested; !math.IsNaN(mean) && !math.IsInf(mean, 0) && models[0].Projection == nil {
		o.Loglik = &mean
	}
	return o, nil
}

// above returns the number of rows that score above the threshold.
func above(m *model.Model, of []row) (count float64, err error) {
	scores, err := m.ScoreRows(rows.InMemory(matrix(of)))
	for _, s := range scores {
		if s > m.Threshold() {
			count++
		}
	}
	return count, err
}

// logDensity returns the mean of ln p(x) in the units of the files. A model computes it for
// columns divided by their scales.
func logDensity(m *model.Model, of []row) (float64, error) {
	mean, err := m.Scorer().MeanLogLik(m.Rows(rows.InMemory(matrix(of))))
	for _, scale := range m.Scaling.Scale {
		mean -= math.Log(scale)
	}
	return mean, err
}

// participants returns the rows in the program's form.
func participants(all []hand) (out []dataset.Participant) {
	var columns []string
	for j := range all[0].train[0].x {
		columns = append(columns, fmt.Sprintf("x%d", j+1))
	}
	for i, h := range all {
		p := dataset.Participant{Name: fmt.Sprintf("p%d", i+1), Columns: columns, Train: rows.InMemory(matrix(h.train))}
		p.TrainLabels = make([]float64, len(h.train))
		if len(h.test) > 0 {
			p.Test, p.TestLabels = rows.InMemory(matrix(h.test)), labels(h.test)
		}
		out = append(out, p)
	}
	return out
}

// labels returns 1 for anomalies and 0 for other rows.
func labels(of []row) []float64 {
	out := make([]float64, len(of))
	for i, r := range of {
		if r.anomaly {
			out[i] = 1
		}
	}
	return out
}
