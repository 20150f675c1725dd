package pipeline

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

const (
	// MostExchanged is the largest number of rows whose values are exchanged, and Copies the number of times
	// that this is done with each.
	MostExchanged = 400
	Copies        = 10
	// normalBlocks is the number of blocks of own rows in time order that count as different.
	normalBlocks = 8
	tries        = 8 // to find another value to exchange
)

// byExchange judges whether a blend tells rows in which one value is another row's from own rows
// better than the same without the shared model. Faults of one sensor are like that: each value is
// usual, and the row is not. trained holds training rows, whose values are taken.
func byExchange(part *model.Local, shared algorithm.Scorer, held, trained *mat.Dense, inTime bool, seed uint64) (*report.Verdict, error) {
	random := rand.New(rand.NewPCG(seed, 0))
	n, _ := held.Dims()
	taken := rows.Drawn(n, min(n, MostExchanged), seed)
	exchanged := Exchanged(held, taken, trained, random)
	v := &report.Verdict{By: report.ByExchanged, Rows: len(taken)}
	known := len(part.Scores[0])
	p := metrics.Paired{AnomalyGroups: metrics.Groups(len(taken)*Copies, len(taken)), NormalGroups: metrics.Groups(known, known)}
	if inTime {
		p.AnomalyGroups, p.NormalGroups = metrics.Groups(len(taken)*Copies, heldBlocks), metrics.Groups(known, min(known, normalBlocks))
	}
	anomalies, err := local.ScoresBy(exchanged, part.Ensemble(shared, model.Blend), part.Ensemble(shared, model.Alone))
	if err != nil {
		return nil, err
	}
	p.Anomalies = [2][]float64(anomalies)
	p.Normals = [2][]float64{part.Own(model.Blend), part.Own(model.Alone)}
	v.Judge(&p, report.FoundAt)
	return v, nil
}

// Exchanged returns copies of the taken rows. In each copy, one value is that of another row.
// The value differs, unless the rows have hardly any different ones.
func Exchanged(held *mat.Dense, taken []int, others *mat.Dense, random *rand.Rand) *mat.Dense {
	n, dim := others.Dims()
	out := mat.NewDense(len(taken)*Copies, dim, nil)
	for i := range len(taken) * Copies {
		row := out.RawRowView(i)
		copy(row, held.RawRowView(taken[i/Copies]))
		for range tries {
			j := random.IntN(dim)
			if v := others.At(random.IntN(n), j); v != row[j] && !math.IsNaN(v) && !math.IsNaN(row[j]) {
				row[j] = v
				break
			}
		}
	}
	return out
}

// byFaults judges by the labelled faults among a participant's test rows, given the scores of these
// with the others and alone. It returns nil if there are none, or no other rows.
func byFaults(together, alone, labels []float64) *report.Verdict {
	isFault := make([]bool, len(labels))
	for i, label := range labels {
		isFault[i] = label == 1
	}
	p := metrics.Faults(together, alone, isFault, nil)
	v := &report.Verdict{By: report.ByFaults, Rows: len(p.Anomalies[0])}
	if !v.Judge(p, report.FoundAt) {
		return nil
	}
	return v
}
