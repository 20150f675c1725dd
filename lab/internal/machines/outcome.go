package machines

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/numeric/metrics"
)

// outcome is the result of a model of a kind, learned in a way. Slices have one entry per
// participant, or per encoder where that is noted.
type outcome struct {
	Names []string
	// areas under the curves by the anomaly score of the paper, Eq. (19) or (39), and by −ln
	// p(x)
	ROC, PR       []float64
	ROCLik, PRLik []float64
	// ln p(x) in nats, an estimate for auto-encoders: mean and median of the held-out rows,
	// median and 5 % quantile of the normal test rows, median of the anomalies
	Held, HeldMedian, Normal, NormalLow, Anomalies []float64

	Information []float64 `json:",omitempty"` // information of a code about its row, in nats
	Active      []float64 `json:",omitempty"` // latent dimensions that vary
	Collapsed   int       `json:",omitempty"` // number of encoders that raise the alarm for collapse
	Clipped     int       `json:",omitempty"` // number of members whose gradient was clipped in the last round
	// median share of a row that its code explains: of the held-out rows, and of the normal
	// rows and the anomalies of the test
	Explained, ExplainedNormal, ExplainedAnomalies []float64 `json:",omitempty"`
	Curve                                          []point   `json:",omitempty"`
}

// point is the progress of a training.
type point struct {
	Steps int // of the decoder
	// Bound is the mean over participants of the mean lower bound of held-out rows, in nats.
	// Median uses the median row.
	Bound, Median float64
}

// scorer scores rows: by the paper's score, and by ln p(x).
type scorer func(x *mat.Dense) (anomaly, logLik []float64, err error)

// add appends the results of a participant's model.
func (o *outcome) add(p participant, score scorer) error {
	anomaly, logLik, err := score(p.test)
	if err != nil {
		return err
	}
	_, held, err := score(p.held)
	if err != nil {
		return err
	}
	var normal, faulty []float64
	for i, v := range logLik {
		if p.labels[i] == 1 {
			faulty = append(faulty, v)
		} else {
			normal = append(normal, v)
		}
	}
	if len(normal) == 0 || len(faulty) == 0 {
		return fmt.Errorf("%s: want test rows with and without anomalies, got %d and %d", p.name, len(faulty), len(normal))
	}
	for _, figure := range []struct {
		to *[]float64
		is float64
	}{
		{&o.Held, mean(held)},
		{&o.HeldMedian, quantile(held, 0.5)},
		{&o.Normal, quantile(normal, 0.5)},
		{&o.NormalLow, quantile(normal, 0.05)},
		{&o.Anomalies, quantile(faulty, 0.5)},
	} {
		*figure.to = append(*figure.to, figure.is+p.units)
	}
	o.Names = append(o.Names, p.name)
	floats.Scale(-1, logLik)
	return o.areas(p, anomaly, logLik)
}

func (o *outcome) areas(p participant, anomaly, surprise []float64) error {
	for _, by := range []struct {
		scores  []float64
		roc, pr *[]float64
	}{{anomaly, &o.ROC, &o.PR}, {surprise, &o.ROCLik, &o.PRLik}} {
		roc, ok := metrics.ROCAUC(by.scores, p.labels)
		pr, _ := metrics.PRAUC(by.scores, p.labels)
		if !ok {
			return fmt.Errorf("%s: a score is not a number", p.name)
		}
		*by.roc, *by.pr = append(*by.roc, roc), append(*by.pr, pr)
	}
	return nil
}

func mean(values []float64) float64 { return floats.Sum(values) / float64(len(values)) }

// quantile returns the value below which a share of the values lies.
func quantile(values []float64, share float64) float64 {
	values = slices.Clone(values)
	slices.Sort(values)
	return values[int(share*float64(len(values)-1))]
}
