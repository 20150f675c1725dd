package columnstats

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/parallel"
)

// Moments are sums over the rows of all members, with bounds that hold at each.
type Moments struct {
	Bounds   Bounds
	Count    float64   // N, the number of rows
	Sums     []float64 // M
	Products []float64 // products of two columns (M × M), upper triangle

	members int       // number of members in the sums; 0 if unknown
	least   []float64 // root mean squares (M) that may be pure rounding
	// of returns the moments of rows in the present coordinates, given their summed moments. It
	// is linear.
	of func(summed []float64) *Moments
}

// MomentsKey is the running total of the moments of rows. All later sums over the same rows
// continue it.
const MomentsKey = "moments"

func newMoments(dim int) *Moments {
	return &Moments{Sums: make([]float64, dim), Products: make([]float64, dim*dim)}
}

// SumMoments makes one sum, of values within the bounds b. It starts the running total
// [MomentsKey].
func SumMoments(ctx context.Context, g collabdict.Group, rows collabdict.Rows, b Bounds) (*Moments, error) {
	own, err := momentsOf(rows)
	if err != nil {
		return nil, err
	}
	x, blocks := split(own.pack(), b.Moments(1, true))
	total, err := g.Accumulate(ctx, collabdict.Running{Key: MomentsKey}, x, blocks)
	if err != nil {
		return nil, err
	}
	dim := len(own.Sums)
	of := func(summed []float64) *Moments { return unpack(join(summed), dim) }
	all := of(total)
	if err := b.checkRows(all.Count, 0); err != nil {
		return nil, err
	}
	all.Bounds, all.of = b, of
	if c, may := g.(collabdict.Carrier); may {
		all.members, _ = c.Carried()
	}
	share := math.Sqrt(rounded(max(all.members, 1)))
	for _, rms := range b.RMS {
		all.least = append(all.least, float64(share*rms))
	}
	return all, nil
}

// pack returns the moments in the order of their sum.
func (m *Moments) pack() []float64 {
	x, dim := append([]float64{m.Count}, m.Sums...), len(m.Sums)
	for i := range dim {
		x = append(x, m.Products[i*dim+i:(i+1)*dim]...)
	}
	return x
}

func unpack(x []float64, dim int) *Moments {
	m := &Moments{Count: x[0], Sums: x[1 : 1+dim : 1+dim], Products: make([]float64, dim*dim)}
	for i, rest := 0, x[1+dim:]; i < dim; i++ {
		rest = rest[copy(m.Products[i*dim+i:(i+1)*dim], rest):]
	}
	return m
}

// Running returns the running total for sums over the same rows in k components, about an origin
// of M values (nil for 0). It has the counts, the sums of each column, the products that with
// selects, and further values, whose number is others. It begins with all rows in the first
// component.
func (m *Moments) Running(key string, k int, origin []float64, with Products, others int) collabdict.Running {
	return collabdict.Running{Key: key, From: MomentsKey, Begin: func(summed []float64) []float64 {
		in := m.of(summed)
		if origin != nil {
			in = in.about(origin)
		}
		var out []float64
		put := func(v float64) {
			out = append(out, v)
			out = append(out, make([]float64, k-1)...)
		}
		put(in.Count)
		for _, v := range in.Sums {
			put(v)
		}
		dim := len(in.Sums)
		for i := 0; i < dim && with != NoProducts; i++ {
			put(in.Products[i*dim+i])
			for j := i + 1; j < dim && with == AllProducts; j++ {
				put(in.Products[i*dim+j])
			}
		}
		return append(out, make([]float64, others)...)
	}}
}

// Products selects the products of columns in a sum.
type Products int

// The products.
const (
	NoProducts Products = iota
	Squares             // of each column with itself
	AllProducts
)

// about returns the moments about a point instead of 0.
func (m *Moments) about(point []float64) *Moments {
	dim := len(m.Sums)
	out := newMoments(dim)
	out.Count = m.Count
	for i, c := range point {
		out.Sums[i] = m.Sums[i] - float64(m.Count*c)
		for j := i; j < dim; j++ {
			d := point[j]
			out.Products[i*dim+j] = m.Products[i*dim+j] - float64(m.Sums[i]*d) - float64(m.Sums[j]*c) + float64(m.Count*c*d)
		}
	}
	return out
}

// CentredMoments returns the mean of all rows, and the moments about it. It takes a Gather of
// bounds, a sum that finds an origin near all rows, and then another Gather and sum for the
// moments about that origin. So a mean far from zero costs no precision. If bounds are found by
// sums, each Gather is a sum.
//
// All moments are in one sum, and no total before it contains the number, sum or products of
// rows. Otherwise a member lost between two such totals would be revealed by their difference.
func CentredMoments(ctx context.Context, g collabdict.Group, rows collabdict.Rows) (mean []float64, about *Moments, err error) {
	b, err := Agree(ctx, g, rows)
	if err != nil {
		return nil, nil, fmt.Errorf("means: %w", err)
	}
	mean, err = origin(ctx, g, rows, b)
	if err != nil {
		return nil, nil, fmt.Errorf("means: %w", err)
	}
	moved := centred{rows, mean}
	if b, err = b.Tighten(ctx, g, moved); err != nil {
		return nil, nil, fmt.Errorf("variances: %w", err)
	}
	near, err := SumMoments(ctx, g, moved, b)
	if err != nil {
		return nil, nil, fmt.Errorf("variances: %w", err)
	}
	shift := make([]float64, len(mean))
	floats.ScaleTo(shift, 1/math.Round(near.Count), near.Sums)
	floats.Add(mean, shift)
	return mean, near.movedTo(shift), nil
}

// origin returns a point near the rows of all members, at most a few of their deviations away.
// It is the mean of one point per member, with weights between ½ and 2. Points and weights are
// random, so that the sum reveals hardly more about two members' means than the sum of moments
// will. The randomness derives from the member's own rows: it is the same after a restart, and
// no other member knows it.
func origin(ctx context.Context, g collabdict.Group, rows collabdict.Rows, b Bounds) ([]float64, error) {
	n, dim := rows.Dims()
	sums, squares := make([]float64, dim), make([]float64, dim)
	err := eachRow(rows, func(row []float64) {
		for i, v := range row {
			sums[i] += v
			squares[i] += float64(v * v)
		}
	})
	if err != nil {
		return nil, err
	}
	random := drawnFrom(slices.Concat(sums, squares))
	weight := math.Exp2(2*random.Float64() - 1)
	x := []float64{weight}
	for i, sum := range sums {
		mean := sum / float64(n)
		deviation := math.Sqrt(math.Max(squares[i]/float64(n)-float64(mean*mean), 0))
		point := mean + float64(deviation*(2*random.Float64()-1))
		x = append(x, weight*math.Max(-b.RMS[i], math.Min(point, b.RMS[i])))
	}
	blocks := AppendBlock(nil, 1, 2)
	for _, rms := range b.RMS {
		blocks = AppendBlock(blocks, 1, 2*rms)
	}
	total, err := g.Sum(ctx, x, blocks)
	if err != nil {
		return nil, err
	}
	out := make([]float64, dim)
	floats.ScaleTo(out, 1/total[0], total[1:])
	return out, nil
}

// drawnFrom returns a source of random numbers derived from values.
func drawnFrom(values []float64) *rand.Rand {
	h := sha256.New()
	for _, v := range values {
		h.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
	}
	return rand.New(rand.NewChaCha8([32]byte(h.Sum(nil))))
}

// movedTo returns the moments about a point. Their bounds hold for the rows less that point.
func (m *Moments) movedTo(point []float64) *Moments {
	out := m.about(point)
	out.members, out.least, out.Bounds = m.members, m.least, m.Bounds
	out.Bounds.RMS = make([]float64, len(point))
	for i, c := range point {
		out.Bounds.RMS[i] = m.Bounds.RMS[i] + math.Abs(c)
	}
	out.of = func(summed []float64) *Moments { return m.of(summed).about(point) }
	return out
}

// centred is rows less their mean.
type centred struct {
	collabdict.Rows
	mean []float64
}

func (r centred) ReadRows(x []float64, from int) error {
	err := r.Rows.ReadRows(x, from)
	for ; len(x) > 0; x = x[len(r.mean):] {
		floats.Sub(x[:len(r.mean)], r.mean)
	}
	return err
}

// manyColumns is the number of columns from which a worker's sums of products take more memory
// than its rows.
const manyColumns = 128

// momentsOf returns the moments of a member's own rows. With many columns, all workers add to
// one set of sums.
func momentsOf(rows collabdict.Rows) (*Moments, error) {
	n, dim := rows.Dims()
	if dim > manyColumns {
		return momentsOfMany(rows)
	}
	lanes, blocks := make([]*Moments, parallel.Lanes(n)), make([][]float64, parallel.Lanes(n))
	errs := make([]error, len(lanes))
	parallel.Sweep(n, func(l, lo, hi int) {
		if errs[l] != nil {
			return
		}
		if lanes[l] == nil {
			lanes[l], blocks[l] = newMoments(dim), make([]float64, min(n, blockRows)*dim)
		}
		x := blocks[l][:(hi-lo)*dim]
		if errs[l] = rows.ReadRows(x, lo); errs[l] == nil {
			lanes[l].add(x)
		}
	})
	total := newMoments(dim)
	total.Count = float64(n)
	for l, m := range lanes {
		if errs[l] != nil {
			return nil, errs[l]
		}
		floats.Add(total.Sums, m.Sums)
		floats.Add(total.Products, m.Products)
	}
	return total, nil
}

// add adds rows one by one.
func (m *Moments) add(x []float64) {
	dim := len(m.Sums)
	for ; len(x) > 0; x = x[dim:] {
		row := x[:dim]
		floats.Add(m.Sums, row)
		for i, v := range row {
			blas.AddScaled(m.Products[i*dim+i:(i+1)*dim], v, row[i:])
		}
	}
}

func momentsOfMany(rows collabdict.Rows) (*Moments, error) {
	n, dim := rows.Dims()
	m := newMoments(dim)
	m.Count = float64(n)
	err := eachBlock(rows, func(x []float64) {
		blas.Implementation{}.Dsyrk(gonum.Upper, gonum.Trans, dim, len(x)/dim, 1, x, dim, 1, m.Products, dim)
		for row := x; len(row) > 0; row = row[dim:] {
			floats.Add(m.Sums, row[:dim])
		}
	})
	return m, err
}

// Rows returns the number of all rows.
func (m *Moments) Rows() float64 { return m.Count }

// Squares returns the sum of the squares of column i.
func (m *Moments) Squares(i int) float64 { return m.Products[i*len(m.Sums)+i] }

// Covariance returns the mean products of columns, row-major M × M. For centred rows this is
// the covariance matrix.
func (m *Moments) Covariance() []float64 {
	dim := len(m.Sums)
	out := make([]float64, dim*dim)
	for i := range dim {
		for j := i; j < dim; j++ {
			out[i*dim+j] = m.Products[i*dim+j] / m.Count
			out[j*dim+i] = out[i*dim+j]
		}
	}
	return out
}

// Scaled returns the moments of the rows after each column is divided by its scale.
func (m *Moments) Scaled(scale []float64) *Moments {
	out := m.scaled(scale)
	out.of = func(summed []float64) *Moments { return m.of(summed).scaled(scale) }
	out.Bounds, out.members = m.Bounds, m.members
	out.Bounds.RMS = make([]float64, len(scale))
	for i, s := range scale {
		out.Bounds.RMS[i] = m.Bounds.RMS[i] / s
		out.least = append(out.least, m.least[i]/s)
	}
	return out
}

func (m *Moments) scaled(scale []float64) *Moments {
	dim := len(m.Sums)
	out := newMoments(dim)
	out.Count = m.Count
	for i, s := range scale {
		out.Sums[i] = m.Sums[i] / s
		for j := i; j < dim; j++ {
			out.Products[i*dim+j] = m.Products[i*dim+j] / s / scale[j]
		}
	}
	return out
}

// Onto returns the moments of the rows projected to axes, about a point. Their bounds are b,
// widened.
func (m *Moments) Onto(axes *mat.Dense, point []float64, b Bounds) *Moments {
	out := m.about(point).along(axes)
	out.of = func(summed []float64) *Moments { return m.of(summed).about(point).along(axes) }
	out.members = m.members
	for a := range out.Sums {
		reach := 0.0
		for i, v := range axes.RawRowView(a) {
			reach += float64(math.Abs(v) * m.least[i])
		}
		out.least = append(out.least, reach)
	}
	out.Bounds = out.Widened(b)
	return out
}

// Widened returns bounds that hold for the rows and for the summed moments that later sums
// begin with, including their rounding. This matters only in coordinates where rows hardly
// vary. Zero bounds stay zero.
func (m *Moments) Widened(b Bounds) Bounds {
	rms := slices.Clone(b.RMS)
	for i, v := range rms {
		rms[i] = math.Max(v, m.least[i])
	}
	b.RMS = rms
	return b
}

// rounded returns the share of its bound by which a running total rounds a value in two words,
// for n members, with a safety factor of eight. Sums that continue it in other coordinates
// inherit this error from all columns.
func rounded(n int) float64 {
	const tolerance, rounding = 1e-9, 0x1p-28 // defaults of a session
	left := math.Sqrt(float64(n))*tolerance + rounding
	_, exp := math.Frexp(8 * 4 * float64(n) * left)
	return math.Ldexp(1, min(exp-wordBits, 0))
}

func (m *Moments) along(axes *mat.Dense) *Moments {
	k, dim := axes.Dims()
	out := newMoments(k)
	out.Count = m.Count
	for a := range k {
		axis := axes.RawRowView(a)
		turned := make([]float64, dim) // products times the axis
		for i, v := range axis {
			out.Sums[a] += float64(v * m.Sums[i])
			for j := range dim {
				turned[j] += float64(v * m.Products[min(i, j)*dim+max(i, j)])
			}
		}
		for b := a; b < k; b++ {
			for j, v := range axes.RawRowView(b) {
				out.Products[a*k+b] += float64(v * turned[j])
			}
		}
	}
	return out
}
