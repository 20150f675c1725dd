package oneshot

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// loadSMD returns the rows of all machines; a machine is a class, dealt to participants like
// others. Rows are in [0, 1] as published. Training rows are from the normal weeks, test rows
// from the labelled weeks, with 4 % anomalies.
func loadSMD(_ context.Context, l *study.Lab) (draw, error) {
	spec := dataset.Spec{
		Label: "label",
		Where: dataset.Condition{Column: "split", Value: "train"}, TestWhere: dataset.Condition{Column: "split", Value: "test"},
	}
	for _, name := range smdFiles() {
		spec.Data = append(spec.Data, l.Path(name))
	}
	d, err := dataset.LoadAll(spec)
	if err != nil {
		return nil, err
	}
	var train, test []*mat.Dense
	var classes, labels []float64
	for machine, p := range d.Participants {
		x, err := rows.Dense(p.Train)
		if err != nil {
			return nil, err
		}
		n, _ := x.Dims()
		for range n {
			classes = append(classes, float64(machine))
		}
		y, err := rows.Dense(p.Test)
		if err != nil {
			return nil, err
		}
		train, test, labels = append(train, x), append(test, y), append(labels, p.TestLabels...)
	}
	return drawSMD(stack(train), classes, stack(test), labels, sizes{80000, 19200, 800}.of(l)), nil
}

func drawSMD(x *mat.Dense, classes []float64, scored *mat.Dense, labels []float64, size sizes) draw {
	var normal, faulty []int
	for row, label := range labels {
		if label == 1 {
			faulty = append(faulty, row)
		} else {
			normal = append(normal, row)
		}
	}
	return func(random *rand.Rand) sample {
		train := random.Perm(len(classes))[:size.train]
		normal, faulty := permuted(random, normal), permuted(random, faulty)
		return sample{train: rows.Picked(x, train), classes: takeClasses(classes, train)}.
			with(rows.Picked(scored, normal[:size.normal]), rows.Picked(scored, faulty[:size.anomalies]))
	}
}

func stack(parts []*mat.Dense) *mat.Dense {
	rows := 0
	_, dim := parts[0].Dims()
	for _, x := range parts {
		n, _ := x.Dims()
		rows += n
	}
	out := mat.NewDense(rows, dim, nil)
	at := 0
	for _, x := range parts {
		n, _ := x.Dims()
		out.Slice(at, at+n, 0, dim).(*mat.Dense).Copy(x)
		at += n
	}
	return out
}
