package simulate

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// Names of the baselines.
const (
	BaselineAlone  = "alone"
	BaselinePooled = "pooled"
)

// AddBaselines trains the named baselines and adds their figures to the result. Mean
// log-likelihoods are over loglikOf or, if that is nil, over each participant's own training
// rows.
func AddBaselines(ctx context.Context, r *report.Run, t *pipeline.Task, which []string, parts, all []dataset.Participant) error {
	_, all = t.Windowed(r.Window, all)
	t, parts = t.Windowed(r.Window, parts)
	rowsOfAll := rowsOf(all)
	for _, name := range which {
		train := Alone
		if name == BaselinePooled {
			train = Pooled
		}
		models, err := train(ctx, t, parts)
		if err != nil {
			return err
		}
		for i, m := range models {
			of := all
			if of == nil || m.Draws() > 1 && densities(m, rowsOfAll, len(all)) > mostDensities {
				of = parts[i : i+1]
			}
			s, err := Scores(m, parts[i], of)
			if err != nil {
				return fmt.Errorf("baseline %s: %s: %w", name, parts[i].Name, err)
			}
			p := &r.Participants[i]
			if p.Baselines == nil {
				p.Baselines = &report.Baselines{}
			}
			if name == BaselineAlone {
				p.Baselines.Alone = s
			} else {
				p.Baselines.Pooled = s
			}
		}
	}
	r.Aggregate()
	return nil
}

// Alone trains the same task on each participant's rows alone, standardisation included. A
// given start is kept.
func Alone(ctx context.Context, t *pipeline.Task, parts []dataset.Participant) ([]*model.Model, error) {
	models := make([]*model.Model, len(parts))
	for i, p := range parts {
		r, err := t.Fit(ctx, collabdict.Solo{}, p, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("baseline alone: %s: %w", p.Name, err)
		}
		models[i] = r.Model
	}
	return models, nil
}

// Pooled trains the task on all rows in one place, and returns the model as each participant
// would use it. If participants standardise their own rows, the pooled rows keep their owners'
// units.
func Pooled(ctx context.Context, t *pipeline.Task, parts []dataset.Participant) ([]*model.Model, error) {
	scalings, all, err := pool(t, parts)
	if err != nil {
		return nil, fmt.Errorf("baseline pooled: %w", err)
	}
	pooled := t
	if t.ScalesOwn() {
		pooled = t.OfScaled()
	}
	together := dataset.Participant{Name: "pooled", Columns: parts[0].Columns, Train: rows.InMemory(all), TrainLabels: labelsOf(parts), ClassLabels: parts[0].ClassLabels}
	for _, p := range parts { // a classifier must have the classes of all participants
		together.TestLabels = append(together.TestLabels, p.TestLabels...)
	}
	r, err := pooled.Fit(ctx, collabdict.Solo{}, together, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("baseline pooled: %w", err)
	}
	models := make([]*model.Model, len(parts))
	for i := range models {
		m := *r.Model
		m.Manifest.Standardise = t.Standardise
		if t.ScalesOwn() {
			m.Manifest.Standardise, m.Scaling = algorithm.Own, scalings[i]
		}
		models[i] = &m
	}
	return models, nil
}

// Scores measures a baseline's model on a participant's test rows, with the log-likelihood of
// the training rows in loglikOf.
func Scores(m *model.Model, p dataset.Participant, loglikOf []dataset.Participant) (*report.Scores, error) {
	e, err := pipeline.Evaluate(m, p)
	if err != nil {
		return nil, err
	}
	loglik, err := overAll(m, loglikOf)
	s := &report.Scores{ROCAUC: e.ROCAUC, PRAUC: e.PRAUC, Loglik: loglik, Accuracy: e.Accuracy, CrossEntropy: e.CrossEntropy}
	if m.Clusterer() != nil {
		s.ARI, s.Silhouette, s.Clusters = e.ARI, e.Silhouette, m.Components()
	}
	return s, err
}
