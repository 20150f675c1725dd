package clusters

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// part holds rows and their classes.
type part struct {
	x     *mat.Dense
	truth []int
}

// client is a participant: training rows, test rows of the same classes, and the number of its
// classes.
type client struct {
	train, test part
	classes     int
}

// pooled returns the rows of several parts in one place.
func pooled(parts ...part) part {
	var values []float64
	var out part
	_, dim := parts[0].x.Dims()
	for _, p := range parts {
		values = append(values, p.x.RawMatrix().Data...)
		out.truth = append(out.truth, p.truth...)
	}
	out.x = mat.NewDense(len(out.truth), dim, values)
	return out
}

func trained(clients []client) part {
	parts := make([]part, len(clients))
	for i, c := range clients {
		parts[i] = c.train
	}
	return pooled(parts...)
}

// readClasses reads the rows of a file by class, in the order of the labels. The class of a
// label is class(label), or the label itself if class is nil.
func readClasses(path, label string, class func(label float64) float64) ([][][]float64, error) {
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{path}, Name: "rows", Label: label})
	if err != nil {
		return nil, err
	}
	p := d.Participants[0]
	x, err := rows.Dense(p.Train)
	if err != nil {
		return nil, err
	}
	by := map[float64][][]float64{}
	for i, l := range p.TrainLabels {
		if class != nil {
			l = class(l)
		}
		by[l] = append(by[l], x.RawRowView(i))
	}
	var out [][][]float64
	for _, l := range slices.Sorted(maps.Keys(by)) {
		out = append(out, by[l])
	}
	return out, nil
}

// dealing describes how rows are divided. Each member gets from least to most classes, and as
// many rows per class as if the class were dealt to shares members.
type dealing struct{ members, shares, least, most int }

// deal gives each member rows of some classes: 7 of 10 for training, the rest for testing.
// Every class is dealt to at least one member.
func deal(rng *rand.Rand, classes [][][]float64, d dealing) ([]client, error) {
	shuffled := make([][][]float64, len(classes))
	for c, rows := range classes {
		if len(rows)/d.shares*7/10 < 1 {
			return nil, fmt.Errorf("class %d of %d: want at least 2 rows for each of %d, got %d", c+1, len(classes), d.shares, len(rows))
		}
		shuffled[c] = slices.Clone(rows)
		rng.Shuffle(len(rows), func(i, j int) { shuffled[c][i], shuffled[c][j] = shuffled[c][j], shuffled[c][i] })
	}
	out := make([]client, d.members)
	for rank, own := range hands(rng, len(classes), d.members, d.least, d.most) {
		var train, test share
		for _, c := range own {
			n := len(classes[c]) / d.shares
			train.add(shuffled[c][:n*7/10], c)
			test.add(shuffled[c][n*7/10:n], c)
			shuffled[c] = shuffled[c][n:]
		}
		out[rank] = client{train.part(), test.part(), len(own)}
	}
	return out, nil
}

// share is an incomplete part.
type share struct {
	rows  [][]float64
	truth []int
}

func (s *share) add(rows [][]float64, class int) {
	s.rows = append(s.rows, rows...)
	s.truth = append(s.truth, slices.Repeat([]int{class}, len(rows))...)
}

func (s *share) part() part {
	x := mat.NewDense(len(s.rows), len(s.rows[0]), nil)
	for i, row := range s.rows {
		x.SetRow(i, row)
	}
	return part{x, s.truth}
}

// hands draws from least to most classes for each member, until all classes are drawn.
func hands(rng *rand.Rand, classes, members, least, most int) [][]int {
	for {
		out, seen := make([][]int, members), map[int]bool{}
		for rank := range out {
			out[rank] = rng.Perm(classes)[:least+rng.IntN(most-least+1)]
			for _, c := range out[rank] {
				seen[c] = true
			}
		}
		if len(seen) == classes {
			return out
		}
	}
}
