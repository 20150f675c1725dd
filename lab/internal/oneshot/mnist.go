package oneshot

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/lab/internal/ood"
	"github.com/collabdict/collabdict/lab/internal/study"
)

var mnistFiles = []string{"mnist/train-images-idx3-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz"}

const side, axes = 28, 24 // size of an image's side; number of columns left of its pixels

// loadMNIST returns images along their principal axes, each scaled to [0, 1]. Anomalies are
// images turned, flipped and enlarged (section 5.3).
func loadMNIST(ctx context.Context, l *study.Lab) (draw, error) {
	images, err := readImages(l)
	if err != nil {
		return nil, err
	}
	labels, err := l.ReadIDX(mnistFiles[1])
	if err != nil {
		return nil, err
	}
	if n, _ := images.Dims(); len(labels.Data) < n {
		return nil, fmt.Errorf("%s: want labels of %d images, got %d", mnistFiles[1], n, len(labels.Data))
	}
	onto, err := principal(ctx, images)
	if err != nil {
		return nil, err
	}
	x := onto.Apply(images)
	unit, err := toUnit(x)
	if err != nil {
		return nil, err
	}
	unit.ApplyTo(x, x)
	classes := make([]float64, len(labels.Data))
	for i, v := range labels.Data {
		classes[i] = float64(v)
	}
	size := sizes{48000, 10800, 1200}.of(l)
	return func(random *rand.Rand) sample {
		n, _ := x.Dims()
		order := random.Perm(n)
		train, rest := order[:size.train], order[size.train:]
		turned := ood.Manipulate(rows.Picked(images, rest[size.normal:size.normal+size.anomalies]), side)
		return sample{train: rows.Picked(x, train), classes: takeClasses(classes, train)}.
			with(rows.Picked(x, rest[:size.normal]), unit.Apply(onto.Apply(turned)))
	}, nil
}

func readImages(l *study.Lab) (*mat.Dense, error) {
	images, err := l.ReadIDX(mnistFiles[0])
	if err != nil {
		return nil, err
	}
	if len(images.Shape) != 3 || images.Shape[0] < 60000 || images.Shape[1] != side || images.Shape[2] != side {
		return nil, fmt.Errorf("%s: want 60000 images of %d by %d, got %v", mnistFiles[0], side, side, images.Shape)
	}
	n := 60000
	if l.Quick {
		n /= 10
	}
	x := mat.NewDense(n, side*side, nil)
	for i := range n * side * side {
		x.RawMatrix().Data[i] = float64(images.Data[i]) / 255
	}
	return x, nil
}

// principal returns the axes of all images, which participants would compute by sums.
func principal(ctx context.Context, x *mat.Dense) (p *rows.Projection, err error) {
	err = lockstep.Run(ctx, 1, func(ctx context.Context, g collabdict.Group, _ int) error {
		of, err := columnstats.PrincipalAxes(ctx, g, rows.InMemory(x), axes)
		p = rows.Onto(of)
		return err
	})
	return p, err
}
