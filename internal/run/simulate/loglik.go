package simulate

import (
	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// mostDensities bounds the densities computed for mean log-likelihoods of all rows under all
// models. Beyond it, each participant's figure is over its own rows.
const mostDensities = 1e7

// addLogliks adds mean log-likelihoods to the result: of all participants' training rows under
// each model, and of each row under its owner's model. Classifiers have none.
func addLogliks(run *Run, parts []dataset.Participant) error {
	var own, rows float64
	all := rowsOf(parts)
	for i, m := range run.Models {
		if m == nil || m.Scorer() == nil {
			continue
		}
		p := &run.Report.Participants[i]
		n, _ := parts[i].Train.Dims()
		mean, err := m.Scorer().MeanLogLik(m.Rows(parts[i].Train))
		if err != nil {
			return err
		}
		own += float64(n) * mean
		if p.Loglik, p.LoglikRows = report.Of(mean), "own"; densities(m, all, len(parts)) <= mostDensities {
			if p.Loglik, err = overAll(m, parts); err != nil {
				return err
			}
			p.LoglikRows = "all"
		}
		rows += float64(n)
	}
	if rows > 0 {
		run.Report.Loglik = report.Of(own / rows)
	}
	return nil
}

// densities returns the number of densities behind the mean log-likelihoods of this number of rows of all
// participants under models like m.
func densities(m *model.Model, rows float64, participants int) float64 {
	return rows * float64(participants) * float64(m.Draws())
}

// rowsOf returns the number of training rows of all participants.
func rowsOf(parts []dataset.Participant) (all float64) {
	for _, p := range parts {
		n, _ := p.Train.Dims()
		all += float64(n)
	}
	return all
}

// overAll returns the mean log-likelihood of all participants' training rows under a model, in
// the units of training. If participants standardise their own rows, each row is in its owner's
// units. A classifier has none.
func overAll(m *model.Model, parts []dataset.Participant) (report.Figure, error) {
	if m.Scorer() == nil {
		return report.Figure{}, nil
	}
	var total, rows float64
	for _, p := range parts {
		n, _ := p.Train.Dims()
		z, err := unitsOf(m, p.Train)
		if err != nil {
			return report.Figure{}, err
		}
		mean, err := m.Scorer().MeanLogLik(z)
		if err != nil {
			return report.Figure{}, err
		}
		total += float64(n) * mean
		rows += float64(n)
	}
	return report.Of(total / rows), nil
}

func unitsOf(m *model.Model, rows collabdict.Rows) (collabdict.Rows, error) {
	if m.Manifest.Standardise != algorithm.Own {
		return m.Rows(rows), nil
	}
	own := *m
	var err error
	own.Scaling, _, err = pipeline.OwnScaling(m.Manifest.Normalise, rows)
	return own.Rows(rows), err
}
