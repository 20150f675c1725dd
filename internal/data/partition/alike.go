package partition

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/rows"
	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// alike deals similar rows to the same participant (Rieger et al. 2020, section 3.3). It
// projects all rows to the first two principal axes of the training rows. Each class has one
// centroid per participant, found by k-means on its training rows and assigned at random. Each
// row goes to the participant that owns the nearest centroid of its class. Finally, the owners
// of a share Shuffle of the rows are permuted. The same seed gives the same split on every
// machine.
func (p Split) alike(classes []Class, random *rand.Rand) ([]Owners, error) {
	for _, c := range classes {
		if count(c.Train) == 0 {
			return nil, &Error{Column: p.Column, Msg: fmt.Sprintf("split %q: class %q has no training row for its centroids, and %d to score", p, c.Name, count(c.Test)), Hint: "give training rows of every class, or another label"}
		}
	}
	plane, err := p.principalPlane(classes)
	if err != nil {
		return nil, err
	}
	var all Owners
	for _, c := range classes {
		own, err := p.byCentroid(c, plane, random)
		if err != nil {
			return nil, err
		}
		all.Train, all.Test = append(all.Train, own.Train...), append(all.Test, own.Test...)
	}
	permuteShare(all.Train, p.Shuffle, random)
	permuteShare(all.Test, p.Shuffle, random)
	out := make([]Owners, len(classes))
	for c, of := range classes {
		train, test := count(of.Train), count(of.Test)
		out[c] = Owners{all.Train[:train], all.Test[:test]}
		all.Train, all.Test = all.Train[train:], all.Test[test:]
	}
	return out, nil
}

// DealAlike deals rows in memory with known classes, as a PCAKMeans split deals those of files. It
// returns the indices of each participant's rows in ascending order. Centroids are found by train
// alone, and test may be nil.
func (p Split) DealAlike(train, test *mat.Dense, trainClasses, testClasses []float64, seed uint64) (trained, tested [][]int, err error) {
	if p.Kind != PCAKMeans {
		panic(fmt.Sprintf("partition: split %q does not deal rows by similarity", p))
	}
	by := map[float64]*places{}
	of := func(class float64) *places {
		if by[class] == nil {
			by[class] = &places{}
		}
		return by[class]
	}
	for row, class := range trainClasses {
		of(class).train = append(of(class).train, row)
	}
	for row, class := range testClasses {
		of(class).test = append(of(class).test, row)
	}
	var all []Class
	classes := slices.Sorted(maps.Keys(by))
	for _, class := range classes {
		all = append(all, Class{fmt.Sprint(class), pick(train, by[class].train), pick(test, by[class].test)})
	}
	owners, err := p.alike(all, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return nil, nil, err
	}
	trained, tested = make([][]int, p.Clients), make([][]int, p.Clients)
	for c, class := range classes {
		hand(trained, owners[c].Train, by[class].train)
		hand(tested, owners[c].Test, by[class].test)
	}
	for _, hands := range [][][]int{trained, tested} {
		for _, h := range hands {
			slices.Sort(h)
		}
	}
	return trained, tested, nil
}

// places holds the indices of the rows of one class.
type places struct{ train, test []int }

// pick returns the rows of x at the given indices, nil if there are none.
func pick(x *mat.Dense, places []int) collabdict.Rows {
	if len(places) == 0 {
		return nil
	}
	return rows.InMemory(rows.Picked(x, places))
}

func hand(hands [][]int, owners, rows []int) {
	for at, to := range owners {
		hands[to] = append(hands[to], rows[at])
	}
}

// byCentroid deals the rows of one class.
func (p Split) byCentroid(c Class, on *plane, random *rand.Rand) (Owners, error) {
	train, err := on.project(c.Train)
	if err != nil {
		return Owners{}, err
	}
	// A class with fewer rows than participants has one centroid per row.
	centroids := gmm.KMeans(train, min(p.Clients, count(c.Train)), random)
	assigned := random.Perm(p.Clients)
	out := Owners{Train: nearest(train, centroids, assigned)}
	if c.Test == nil {
		return out, nil
	}
	test, err := on.project(c.Test)
	if err != nil {
		return Owners{}, err
	}
	out.Test = nearest(test, centroids, assigned)
	return out, nil
}

// plane is up to two principal axes, orthonormal.
type plane struct {
	mean []float64
	axes [][]float64
}

func (p Split) principalPlane(classes []Class) (*plane, error) {
	_, width := classes[0].Train.Dims()
	n, on := 0, &plane{mean: make([]float64, width)}
	for _, c := range classes {
		n += count(c.Train)
		if err := lanes.EachRow(c.Train, func(row []float64) { floats.Add(on.mean, row) }); err != nil {
			return nil, err
		}
	}
	floats.Scale(1/float64(n), on.mean)
	scatter := make([]float64, width*width)
	for _, c := range classes {
		err := rows.Each(c.Train, func(x *mat.Dense, _ int) error {
			on.centre(x)
			size, _ := x.Dims()
			kernels.Implementation{}.Dsyrk(blas.Upper, blas.Trans, width, size, 1, x.RawMatrix().Data, width, 1, scatter, width)
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
	_, vectors, ok := lapack.Eigen(scatter, width)
	if !ok {
		return nil, &Error{Msg: fmt.Sprintf("split %q: the principal axes do not converge", p), Hint: "scale the columns"}
	}
	for i := range min(2, width) {
		from := (width - 1 - i) * width
		on.axes = append(on.axes, vectors[from:from+width])
	}
	return on, nil
}

func (p *plane) centre(x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		floats.Sub(x.RawRowView(i), p.mean)
	}
}

// project returns the rows in the coordinates of the axes.
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
