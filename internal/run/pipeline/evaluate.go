package pipeline

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// Evaluate measures a model on a participant's test rows. If they have labels, 1 is an anomaly,
// and 0 and -1 are normal. If labels are classes, Evaluate returns the adjusted Rand index of
// the components, if there are any, in place of areas under curves. For models of clusters, it
// always returns this index and the silhouette. A classifier reads all labels as classes.
func Evaluate(m *model.Model, p dataset.Participant) (report.Evaluation, error) {
	e, _, err := evaluateWith(m, p, local.Fixed(math.NaN()))
	return e, err
}

// EvaluateBy is like [Evaluate]. Given a threshold, it also returns the shares of normal rows
// and of anomalies above it.
func EvaluateBy(m *model.Model, p dataset.Participant, limits *local.Threshold) (report.Evaluation, error) {
	e, _, err := evaluateWith(m, p, limits)
	return e, err
}

// evaluateWith is like [EvaluateBy], and also returns the scores of the test rows if their labels mark
// anomalies.
func evaluateWith(m *model.Model, p dataset.Participant, limits *local.Threshold) (e report.Evaluation, scores []float64, err error) {
	if p.Test == nil {
		return e, nil, nil
	}
	if m.Classifier() != nil {
		e, err = classify(m, p)
		return e, nil, err
	}
	z, labels := m.Rows(p.Test), p.TestLabels
	n, _ := z.Dims()
	loglik, err := m.Scorer().MeanLogLik(z)
	if err != nil {
		return e, nil, err
	}
	e = report.Evaluation{Rows: n, Loglik: report.Of(loglik)}
	clusters := m.Clusterer() != nil
	if labels != nil && !p.ClassLabels {
		scores = make([]float64, n)
		err = m.Scorer().EachScores(z, func(from int, block []float64) { copy(scores[from:], block) })
		e.ROCAUC = report.OfOK(metrics.ROCAUC(scores, labels))
		e.PRAUC = report.OfOK(metrics.PRAUC(scores, labels))
		e.FalseAlarms, e.Detected = shareAbove(limits, scores, labels)
		if err != nil || !clusters {
			return e, scores, err
		}
	} else if m.Components() == 0 || labels == nil && !clusters {
		return e, nil, nil
	}
	to := make([]int, n)
	err = rows.Each(z, func(x *mat.Dense, from int) error {
		copy(to[from:], m.Assign(x))
		return nil
	})
	if err != nil {
		return e, nil, err
	}
	if labels != nil {
		e.ARI = report.Of(metrics.ARI(to, labels))
	}
	if clusters {
		e.Silhouette, err = silhouette(m, z, to)
	}
	return e, scores, err
}

// shareAbove returns the shares of the normal rows and of the anomalies above their thresholds.
func shareAbove(limits *local.Threshold, scores, labels []float64) (normal, anomalies report.Figure) {
	rows, above, known := map[bool]int{}, map[bool]int{}, true
	for i, score := range scores {
		alarm, has := limits.Above(score)
		known = known && has
		rows[labels[i] == 1]++
		if alarm {
			above[labels[i] == 1]++
		}
	}
	share := func(of bool) (f report.Figure) {
		if known && rows[of] > 0 {
			f = report.Of(float64(above[of]) / float64(rows[of]))
		}
		return f
	}
	return share(false), share(true)
}

// silhouette returns the mean silhouette of the rows, or of a sample if there are too many. The
// sample depends on the number of rows alone. Missing cells have the values that the model
// expects.
func silhouette(m *model.Model, z collabdict.Rows, to []int) (report.Figure, error) {
	n, dim := z.Dims()
	taken := rand.New(rand.NewPCG(0, 0)).Perm(n)[:min(n, metrics.SilhouetteRows)]
	slices.Sort(taken)
	sample, labels := mat.NewDense(len(taken), dim, nil), make([]int, len(taken))
	for i, at := range taken {
		labels[i] = to[at]
	}
	err := rows.Each(z, func(x *mat.Dense, from int) error {
		rows, _ := x.Dims()
		first, _ := slices.BinarySearch(taken, from)
		for i := first; i < len(taken) && taken[i] < from+rows; i++ {
			sample.SetRow(i, x.RawRowView(taken[i]-from))
		}
		return nil
	})
	if c, ok := m.Learned.(algorithm.Completer); ok && err == nil {
		sample, err = c.Complete(sample)
	}
	if err != nil {
		return report.Figure{}, err
	}
	return report.OfOK(metrics.Silhouette(sample, labels, 0)), nil
}

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
