package pipeline

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// classify measures a classifier on a participant's test rows, which must have labels.
func classify(m *model.Model, p dataset.Participant) (report.Evaluation, error) {
	n, _ := p.Test.Dims()
	classifier := m.Classifier()
	e := report.Evaluation{Rows: n}
	if p.TestLabels == nil {
		return e, nil
	}
	classes, err := classesOf(p, p.TestLabels, classifier.Classes())
	if err != nil {
		return e, err
	}
	probabilities := make([]float64, 0, n*classifier.Classes())
	err = rows.Each(m.Rows(p.Test), func(z *mat.Dense, _ int) error {
		block, err := classifier.Probabilities(z)
		if err == nil {
			probabilities = append(probabilities, block.RawMatrix().Data...)
		}
		return err
	})
	if err != nil {
		return e, err
	}
	c := metrics.OfClasses(probabilities, classifier.Classes(), classes)
	e.Accuracy, e.CrossEntropy, e.ROCAUC = report.Of(c.Accuracy), report.Of(c.CrossEntropy), report.Of(c.AUC)
	for _, r := range c.Recall {
		e.Recall = append(e.Recall, report.Of(r))
	}
	return e, nil
}
