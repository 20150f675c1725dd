package mixture

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// eachKernel calls f with each kernel of the machine active in turn. It fails the test unless
// all return the same bits as the last, which is plain Go.
func eachKernel(t *testing.T, what string, f func() [][]float64) {
	t.Helper()
	defer func(was *kernels) { active = was }(active)
	active = portable
	want := f()
	for _, k := range all() {
		active = k
		got := f()
		for i := range want {
			for j, v := range want[i] {
				if w := got[i][j]; math.Float64bits(v) != math.Float64bits(w) && !(math.IsNaN(v) && math.IsNaN(w)) {
					t.Fatalf("%s: %s: result %d, element %d is %v, want %v", what, k.path, i, j, w, v)
				}
			}
		}
	}
}

// blockRows is the number of rows of a block in the tests.
const blockRows = 256

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// random returns a well-conditioned mixture and its parts.
func random(rng *rand.Rand, k, m int, full bool) (*Model, *parts) {
	x, p := NewModel(k, m, full), &parts{}
	left := 1.0
	for i := range k {
		w := left * rng.Float64()
		if i == k-1 {
			w = left
		}
		left -= w
		size := m
		if full {
			size = m * m
		}
		factor := normals(rng, size)
		for j := range factor {
			factor[j] *= 0.3 / math.Sqrt(float64(m))
			if !full {
				factor[j] = 0.5 + math.Abs(factor[j])
			} else if j/m == j%m {
				factor[j]++
			}
		}
		p.weights, p.means, p.factors, p.norms = append(p.weights, w), append(p.means, normals(rng, m)), append(p.factors, factor), append(p.norms, rng.NormFloat64())
		x.Set(i, w, p.means[i], factor, p.norms[i])
	}
	return x, p
}

// parts are the parameters of a mixture in their usual form.
type parts struct {
	weights, norms []float64
	means, factors [][]float64
}

// logDensity computes the definition, with rounded products.
func (p *parts) logDensity(k int, x []float64, full bool) float64 {
	m, q := len(x), 0.0
	for i := range m {
		if !full {
			d := x[i] - p.means[k][i]
			q += p.factors[k][i] * d * d
			continue
		}
		y := 0.0
		for j := i; j < m; j++ {
			y += p.factors[k][i*m+j] * (x[j] - p.means[k][j])
		}
		q += y * y
	}
	return p.norms[k] - q/2
}

// everything returns all results for blocks of rows.
func everything(x *Model, blocks [][]float64, centres []float64) [][]float64 {
	w, s := x.NewWorkspace(blockRows), x.NewSums()
	var out [][]float64
	for _, rows := range blocks {
		w.Load(x, rows)
		out = append(out, slices.Clone(w.LogSums()))
		for k := range x.k {
			top, sum, moment, plogp := w.Entropies(x, k)
			out = append(out, slices.Clone(w.LogDensities(k)), slices.Clone(w.Responsibilities(k)), []float64{top, sum, moment, plogp})
		}
		s.Add(w, centres)
	}
	return append(out, s.sums, []float64{s.logLik})
}

var shapes = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19, 23, 24, 25, 31, 38, 47, 60, 84, 100}

// All kernels return the same bits, which match the definition up to rounding.
func TestKernelsOfAllShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for count, m := range shapes {
		for _, full := range []bool{true, false} {
			for _, k := range []int{1, 2, 5} {
				n := 1 + (count*7+k*11)%50
				x, p := random(rng, k, m, full)
				blocks := [][]float64{normals(rng, n*m), normals(rng, (1+n%9)*m)}
				var centres []float64
				if count%2 == 0 {
					centres = normals(rng, k*m)
				}
				what := fmt.Sprintf("M=%d K=%d N=%d full=%v", m, k, n, full)
				eachKernel(t, what, func() [][]float64 { return everything(x, blocks, centres) })
				p.check(t, what, x, blocks[0], centres)
			}
		}
	}
}

func TestKernelsOfAllRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= blockRows; n += 1 + n/50*7 {
		for _, full := range []bool{true, false} {
			x, p := random(rng, 3, 5, full)
			rows := normals(rng, 5*n)
			what := fmt.Sprintf("N=%d full=%v", n, full)
			eachKernel(t, what, func() [][]float64 { return everything(x, [][]float64{rows}, nil) })
			p.check(t, what, x, rows, nil)
		}
	}
}

// near fails the test unless got equals want up to rounding.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// check compares the results for a block with the definitions.
func (p *parts) check(t *testing.T, what string, x *Model, rows, centres []float64) {
	t.Helper()
	w, s := x.NewWorkspace(blockRows), x.NewSums()
	w.Load(x, rows)
	s.Add(w, centres)
	m, n := x.m, len(rows)/x.m
	logLik := 0.0
	want := make([]*Sums, x.k)
	for k := range want {
		want[k] = newSums(1, m, x.full)
	}
	for j := range n {
		row := rows[j*m : (j+1)*m]
		sum, top := 0.0, math.Inf(-1)
		for k := range x.k {
			top = max(top, p.logDensity(k, row, x.full))
		}
		for k := range x.k {
			sum += p.weights[k] * math.Exp(p.logDensity(k, row, x.full)-top)
		}
		sum = math.Log(sum) + top
		logLik += sum
		near(t, what+": log sum", w.LogSums()[j], sum, 1e-10)
		for k := range x.k {
			l := p.logDensity(k, row, x.full)
			r := p.weights[k] * math.Exp(l-sum)
			near(t, what+": log density", w.LogDensities(k)[j], l, 1e-10)
			near(t, what+": responsibility", w.Responsibilities(k)[j], r, 1e-10)
			d := append(slices.Clone(row), 1)
			for i := range m {
				if centres != nil {
					d[i] -= centres[k*m+i]
				}
			}
			want[k].row1(r, d)
		}
	}
	near(t, what+": log-likelihood", s.LogLik(), logLik, 1e-10)
	for k, s1 := range want {
		near(t, what+": N", s.N(k), s1.N(0), 1e-10)
		size := len(s.sums)/x.k/(m+1+beyond) - 1 // M or 1
		got, ref := make([]float64, (1+size)*m), make([]float64, (1+size)*m)
		s.First(k, got[:m])
		s1.First(0, ref[:m])
		s.Second(k, got[m:])
		s1.Second(0, ref[m:])
		for i, v := range ref {
			near(t, what+": moments", got[i], v, 1e-10)
		}
	}
}

// row1 adds a row to the sums of one component.
func (s *Sums) row1(r float64, d []float64) {
	for i, v := range d {
		if !s.full {
			s.sums[i] += r * v
			s.sums[s.row()+i] += r * v * v
			continue
		}
		for j := i; j < len(d); j++ {
			s.sums[i*s.row()+j] += r * v * d[j]
		}
	}
}

func TestPathsAreThisMachines(t *testing.T) {
	var got []cpu.Path
	for _, k := range all() {
		got = append(got, k.path)
	}
	if !slices.Equal(got, cpu.All()) || active.path != cpu.Active() {
		t.Errorf("kernels %q with %q active, want %q with %q", got, active.path, cpu.All(), cpu.Active())
	}
}

// Several mixtures in one model have the same results as each alone.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const k, m, n = 3, 5, 77
	both := NewModel(2*k, m, false)
	rows := normals(rng, n*m)
	var want [][]float64
	for g := range 2 {
		one, p := random(rng, k, m, false)
		w := one.NewWorkspace(blockRows)
		w.Load(one, rows)
		for i := range k {
			want = append(want, slices.Clone(w.Responsibilities(i)))
			both.Set(g*k+i, p.weights[i], p.means[i], p.factors[i], p.norms[i])
		}
	}
	eachKernel(t, "groups", func() (out [][]float64) {
		w, s := both.NewWorkspace(blockRows), both.NewSums()
		w.LoadGroups(both, rows, k)
		for i := range 2 * k {
			out = append(out, slices.Clone(w.Responsibilities(i)))
			if !slices.Equal(out[i], want[i]) {
				t.Fatalf("component %d has other responsibilities than alone", i)
			}
		}
		s.Add(w, nil)
		return append(out, s.sums)
	})
}

// weigh loads a block of rows with any weights in place of responsibilities: weights fills in r
// for component k. The block has no densities then.
func weigh(w *Workspace, rows []float64, weights func(k int, r []float64)) {
	w.fillPanels(rows)
	clear(w.lse)
	for k := range w.k {
		weights(k, w.r[k*w.rows:][:w.n])
	}
	w.silence()
}

// Rows are summed with any weights.
func TestWeigh(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const k, m, n = 2, 4, 29
	x := NewModel(k, m, true)
	rows, weights := normals(rng, n*m), normals(rng, k*n)
	eachKernel(t, "weigh", func() [][]float64 {
		w, s := x.NewWorkspace(blockRows), x.NewSums()
		w.Load(x, normals(rand.New(rand.NewPCG(9, 9)), blockRows*m)) // remains of this block must not count
		weigh(w, rows, func(i int, r []float64) { copy(r, weights[i*n:]) })
		s.Add(w, nil)
		for i := range k {
			total, first := 0.0, 0.0
			for j, r := range weights[i*n : (i+1)*n] {
				total += r
				first += r * rows[j*m+2]
			}
			got := make([]float64, m)
			s.First(i, got)
			near(t, "count", s.N(i), total, 1e-12)
			near(t, "first moment", got[2], first, 1e-12)
		}
		return [][]float64{s.sums}
	})
}
