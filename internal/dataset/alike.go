package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/portable"
	"github.com/collabdict/collabdict/internal/rows"
)

// alike deals rows that are like each other to the same participant (Rieger et al. 2020,
// section 3.3). All rows are projected to the first two principal axes of those that are
// trained on. Each class has as many centroids as there are participants, by k-means on
// its training rows, which are assigned to participants at random; each row goes to the
// participant that owns the nearest centroid of its class. Then the participants of a
// share Shuffle of the rows are permuted. The same seed gives the same split on every machine.
func (s *Spec) alike(names []string, classes []*group, width int, random *rand.Rand) ([]owners, error) {
	for c, g := range classes {
		if g.train.n == 0 {
			return nil, &Error{Column: s.Split.Column, Msg: fmt.Sprintf("split %q: class %q has no training row to find centroids by, and %d to score", s.Split, names[c], g.test.n), Hint: "give training rows of every class, or another label"}
		}
	}
	plane, err := s.principalPlane(classes, width)
	if err != nil {
		return nil, err
	}
	var all owners
	for _, g := range classes {
		own, err := s.byCentroid(g, plane, width, random)
		if err != nil {
			return nil, err
		}
		all.train, all.test = append(all.train, own.train...), append(all.test, own.test...)
	}
	permuteShare(all.train, s.Split.Shuffle, random)
	permuteShare(all.test, s.Split.Shuffle, random)
	out := make([]owners, len(classes))
	for c, g := range classes {
		out[c] = owners{all.train[:g.train.n], all.test[:g.test.n]}
		all.train, all.test = all.train[g.train.n:], all.test[g.test.n:]
	}
	return out, nil
}

// byCentroid deals the rows of one class.
func (s *Spec) byCentroid(g *group, p *plane, width int, random *rand.Rand) (owners, error) {
	train, err := p.project(s.everyRow(&g.train, width))
	if err != nil {
		return owners{}, err
	}
	// A class of fewer rows than participants has a centroid a row.
	centroids := gmm.KMeans(train, min(s.Split.Clients, g.train.n), random)
	assigned := random.Perm(s.Split.Clients)
	out := owners{train: nearest(train, centroids, assigned)}
	if g.test.n == 0 {
		return out, nil
	}
	test, err := p.project(s.everyRow(&g.test, width))
	if err != nil {
		return owners{}, err
	}
	out.test = nearest(test, centroids, assigned)
	return out, nil
}

// everyRow is the rows as a source, whatever the Limit is.
func (s *Spec) everyRow(r *rowSet, width int) collabdict.Rows {
	out, _ := s.source(r, width, false)
	return out
}

// plane is up to two principal axes, orthonormal.
type plane struct {
	mean []float64
	axes [][]float64
}

func (s *Spec) principalPlane(classes []*group, width int) (*plane, error) {
	n, p := 0, &plane{mean: make([]float64, width)}
	for _, g := range classes {
		n += g.train.n
		if err := rows.EachRow(s.everyRow(&g.train, width), func(row []float64) { floats.Add(p.mean, row) }); err != nil {
			return nil, err
		}
	}
	floats.Scale(1/float64(n), p.mean)
	scatter := make([]float64, width*width)
	for _, g := range classes {
		err := rows.Each(s.everyRow(&g.train, width), func(x *mat.Dense, _ int) error {
			p.centre(x)
			rows, _ := x.Dims()
			kernels.Implementation{}.Dsyrk(blas.Upper, blas.Trans, width, rows, 1, x.RawMatrix().Data, width, 1, scatter, width)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range width {
		for j := range i {
			scatter[i*width+j] = scatter[j*width+i]
		}
	}
	_, vectors, ok := portable.Eigen(scatter, width)
	if !ok {
		return nil, &Error{Msg: fmt.Sprintf("split %q: the principal axes do not converge", s.Split), Hint: "scale the columns"}
	}
	for i := range min(2, width) {
		from := (width - 1 - i) * width
		p.axes = append(p.axes, vectors[from:from+width])
	}
	return p, nil
}

func (p *plane) centre(x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		floats.Sub(x.RawRowView(i), p.mean)
	}
}

// project returns the rows along the axes.
func (p *plane) project(of collabdict.Rows) (*mat.Dense, error) {
	n, _ := of.Dims()
	out := mat.NewDense(n, len(p.axes), nil)
	return out, rows.Each(of, func(x *mat.Dense, from int) error {
		p.centre(x)
		size, _ := x.Dims()
		for i := range size {
			for a, axis := range p.axes {
				out.Set(from+i, a, kernels.Dot(x.RawRowView(i), axis))
			}
		}
		return nil
	})
}

// nearest returns the owner of the nearest centroid of every row.
func nearest(x, centroids *mat.Dense, assigned []int) []int {
	n, _ := x.Dims()
	k, _ := centroids.Dims()
	out := make([]int, n)
	for i := range out {
		best := math.Inf(1)
		for c := range k {
			distance := 0.0
			for a, v := range centroids.RawRowView(c) {
				d := x.At(i, a) - v
				distance += float64(d * d)
			}
			if distance < best {
				best, out[i] = distance, assigned[c]
			}
		}
	}
	return out
}

// permuteShare permutes a share of the values, drawn at random, among themselves.
func permuteShare(values []int, share float64, random *rand.Rand) {
	some := random.Perm(len(values))[:int(math.Round(float64(share*float64(len(values)))))]
	before := make([]int, len(some))
	for i, at := range some {
		before[i] = values[at]
	}
	for i, from := range random.Perm(len(some)) {
		values[some[i]] = before[from]
	}
}
