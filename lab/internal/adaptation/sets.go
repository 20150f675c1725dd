package adaptation

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// set holds rows of several classes.
type set struct {
	name  string
	files []string // files in the data folder
	// axes is the number of principal axes kept, or 0 for all columns.
	axes int
	// scale divides all columns.
	scale float64
	most  int // most rows used, 0 for all

	rows    *mat.Dense // nil until they are read
	classes []float64  // from 0
	number  int        // of classes
}

// sets returns the images of the paper: public embeddings of three classes by another network,
// and raw images along their main principal axes.
// title returns the name of the set for charts.
func (s *set) title() string {
	if s.name == "CIFAR-10" {
		return "CIFAR-10, three classes"
	}
	return s.name
}

func sets() []*set {
	return []*set{
		{name: "CIFAR-10", files: []string{"embeddings/cifar3-resnet18.csv.gz"}, scale: 1},
		{name: "MNIST", files: []string{"mnist/train-images-idx3-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz"}, axes: 50, scale: 255},
	}
}

// read reads the rows once.
func (s *set) read(ctx context.Context, l *study.Lab) error {
	if s.rows != nil {
		return nil
	}
	l.Note("reading %s", s.name)
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{l.Path(s.files[0])}, Name: "rows", Label: "label", Limit: s.most})
	if err != nil {
		return err
	}
	p := d.Participants[0]
	read := p.Train
	if s.axes > 0 {
		// The same axes as participants would compute by sums.
		axes, err := columnstats.PrincipalAxes(ctx, collabdict.Solo{}, read, s.axes)
		if err != nil {
			return err
		}
		read = rows.Onto(axes).Rows(read)
	}
	x, err := rows.Dense(read)
	if err != nil {
		return err
	}
	s.rows = mat.DenseCopyOf(x)
	s.rows.Scale(1/s.scale, s.rows)
	s.classes, s.number = numbered(p.TrainLabels)
	return nil
}

// numbered replaces labels by numbers from 0.
func numbered(labels []float64) (classes []float64, number int) {
	all := map[float64]bool{}
	for _, l := range labels {
		all[l] = true
	}
	names := slices.Sorted(maps.Keys(all))
	for _, l := range labels {
		at, _ := slices.BinarySearch(names, l)
		classes = append(classes, float64(at))
	}
	return classes, len(names)
}

// sample holds the rows of a repeat: four fifths for training, the rest for testing.
type sample struct {
	train, test               *mat.Dense
	trainClasses, testClasses []float64
}

func (s *set) draw(random *rand.Rand) sample {
	n, _ := s.rows.Dims()
	order := random.Perm(n)
	var out sample
	out.train, out.trainClasses = s.take(order[:n*4/5])
	out.test, out.testClasses = s.take(order[n*4/5:])
	return out
}

func (s *set) take(rows []int) (x *mat.Dense, classes []float64) {
	_, width := s.rows.Dims()
	x = mat.NewDense(len(rows), width, nil)
	for i, r := range rows {
		x.SetRow(i, s.rows.RawRowView(r))
		classes = append(classes, s.classes[r])
	}
	return x, classes
}
