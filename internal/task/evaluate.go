package task

import (
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/metrics"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Evaluate measures a model on rows, with their labels if there are any: 1 is an
// anomaly, 0 and -1 are normal. Labels of other values are classes, which give the
// adjusted Rand index of the components instead of areas under curves.
func Evaluate(m *model.Model, rows dataset.Rows, labels []float64) (report.Evaluation, error) {
	if rows == nil {
		return report.Evaluation{}, nil
	}
	z := m.Rows(rows)
	n, _ := z.Dims()
	loglik, err := m.Mixture.MeanLogLik(z)
	if err != nil {
		return report.Evaluation{}, err
	}
	e := report.Evaluation{Rows: n, Loglik: report.Of(loglik)}
	switch {
	case labels == nil:
	case binary(labels):
		scores := make([]float64, n)
		err = m.Mixture.EachScores(z, func(from int, block []float64) { copy(scores[from:], block) })
		e.ROCAUC = report.OfOK(metrics.ROCAUC(scores, labels))
		e.PRAUC = report.OfOK(metrics.PRAUC(scores, labels))
	default:
		to := make([]int, n)
		err = dataset.Each(z, func(x *mat.Dense, from int) error {
			assign(to[from:], m.Mixture.Responsibilities(x))
			return nil
		})
		e.ARI = report.Of(metrics.ARI(to, labels))
	}
	return e, err
}

func binary(labels []float64) bool {
	for _, v := range labels {
		if v != 0 && v != 1 && v != -1 {
			return false
		}
	}
	return true
}

// assign sets to to the component that is most responsible for each row.
func assign(to []int, responsibilities *mat.Dense) {
	n, _ := responsibilities.Dims()
	for i := range n {
		to[i] = floats.MaxIdx(responsibilities.RawRowView(i))
	}
}
