package task

import (
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/metrics"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Evaluate measures a model on rows, with their labels if there are any: 1 is an
// anomaly, 0 and -1 are normal. Labels of other values are classes, which give the
// adjusted Rand index of the components instead of areas under curves.
func Evaluate(m *model.Model, rows *mat.Dense, labels []float64) report.Evaluation {
	if rows == nil {
		return report.Evaluation{}
	}
	z := m.Scaling.Apply(rows)
	n, _ := z.Dims()
	loglik, _ := m.Mixture.MeanLogLik(gmm.Matrix(z))
	e := report.Evaluation{Rows: n, Loglik: report.Of(loglik)}
	switch {
	case labels == nil:
	case binary(labels):
		scores := m.Mixture.Scores(nil, z)
		e.ROCAUC = report.OfOK(metrics.ROCAUC(scores, labels))
		e.PRAUC = report.OfOK(metrics.PRAUC(scores, labels))
	default:
		e.ARI = report.Of(metrics.ARI(assign(m.Mixture.Responsibilities(z)), labels))
	}
	return e
}

func binary(labels []float64) bool {
	for _, v := range labels {
		if v != 0 && v != 1 && v != -1 {
			return false
		}
	}
	return true
}

// assign returns the component that is most responsible for each row.
func assign(responsibilities *mat.Dense) []int {
	n, _ := responsibilities.Dims()
	to := make([]int, n)
	for i := range to {
		to[i] = floats.MaxIdx(responsibilities.RawRowView(i))
	}
	return to
}
