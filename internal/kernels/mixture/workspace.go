package mixture

import (
	"math"

	arithmetic "github.com/collabdict/collabdict/internal/numeric/portable"
)

// Model is a mixture of K components over M variables, in the layout of the kernels.
type Model struct {
	k, m       int
	full       bool
	logw, norm []float64 // K
	means      []float64 // K by M
	factors    []float64 // K packed triangles, or K by M precisions
}

// NewModel returns an empty model of k components over m variables, with full or diagonal
// precision matrices.
func NewModel(k, m int, full bool) *Model {
	x := &Model{k: k, m: m, full: full, logw: make([]float64, k), norm: make([]float64, k), means: make([]float64, k*m)}
	x.factors = make([]float64, k*x.factor())
	return x
}

func (x *Model) factor() int {
	if x.full {
		return x.m * (x.m + 1) / 2
	}
	return x.m
}

// Components returns K.
func (x *Model) Components() int { return x.k }

// Dim returns M.
func (x *Model) Dim() int { return x.m }

// Full reports whether the precision matrices are full.
func (x *Model) Full() bool { return x.full }

// Is reports whether the model has k components, and precision matrices as given by full.
func (x *Model) Is(k int, full bool) bool { return x.k == k && x.full == full }

// Set sets component k: its weight, mean, norm = ½ ln|Λ| − M/2 ln 2π, and the upper
// triangular U with Λ = UᵀU, M by M, or the diagonal of Λ.
func (x *Model) Set(k int, weight float64, mean, precision []float64, norm float64) {
	x.logw[k], x.norm[k] = math.Inf(-1), norm
	if weight > 0 {
		x.logw[k] = arithmetic.Log(weight)
	}
	copy(x.means[k*x.m:(k+1)*x.m], mean)
	to := x.factors[k*x.factor() : (k+1)*x.factor()]
	if x.full {
		pack(to, precision, x.m)
		return
	}
	copy(to, precision)
}

// Workspace holds the results for a block of rows. One goroutine at a time may use it, for any
// number of blocks and models of one shape.
//
// A panel is 8 rows turned, so that a vector holds one variable of each; a row's place in its
// panel is a lane. The last panel is filled up with rows of zeros, which count for nothing.
type Workspace struct {
	k, m, n  int       // n is the number of rows in the block
	rows     int       // capacity in rows
	x        []float64 // the block: panels of M variables, and of one that is 1
	d        []float64 // scratch: the rows less a mean, as in x
	weighted []float64 // scratch of scatter: panels of mostHeight variables
	tail     []float64 // last rows, if they do not fill a panel
	logd, r  []float64 // log densities and responsibilities, K by rows
	lse      []float64 // log sums, one per row
	centre   []float64 // scratch of Sums.Add: M+1
	tops     [lanes]float64
	sums     [4]float64
}

// NewWorkspace returns a workspace for models of the shape of x and blocks of at most the given
// number of rows.
func (x *Model) NewWorkspace(rows int) *Workspace {
	k, m := x.k, x.m
	const group = lanes * mostGroup // whole groups of panels, whatever the kernel
	rows = (rows + group - 1) / group * group
	panels := rows * (m + 1)
	return &Workspace{
		k: k, m: m, rows: rows, x: make([]float64, panels), d: make([]float64, panels), weighted: make([]float64, rows*mostHeight),
		tail: make([]float64, lanes*m), logd: make([]float64, k*rows), r: make([]float64, k*rows),
		lse: make([]float64, rows), centre: make([]float64, m+1),
	}
}

func (w *Workspace) stride() int { return (w.m + 1) * lanes }

// Load computes the densities and responsibilities of a block of rows, M values each, under
// model x. It copies the rows, and does not keep the slice.
func (w *Workspace) Load(x *Model, rows []float64) { w.LoadGroups(x, rows, x.k) }

// LoadGroups is Load for several mixtures at once: each group of size components is one
// mixture. LogSums returns the values of the last one.
func (w *Workspace) LoadGroups(x *Model, rows []float64, size int) {
	if x.k != w.k || x.m != w.m || w.k%size != 0 {
		panic("mixture: shapes differ")
	}
	w.densities(x, w.fillPanels(rows))
	for k := 0; k < w.k; k += size {
		active.normalise(w.paddedRows(), size, w.rows, w.logd[k*w.rows:], x.logw[k:k+size], w.r[k*w.rows:], w.lse)
	}
	w.silence()
}

// silence removes the padding after the last row from all sums.
func (w *Workspace) silence() {
	for j := w.n; j < w.paddedRows(); j++ {
		for k := range w.k {
			w.logd[k*w.rows+j], w.r[k*w.rows+j] = math.Inf(-1), 0
		}
		w.lse[j] = 0
	}
}

// densities computes the densities of the rows in the given number of panels.
func (w *Workspace) densities(x *Model, panels int) {
	for k := range x.k {
		mean, factor, out := x.means[k*x.m:(k+1)*x.m], x.factors[k*x.factor():(k+1)*x.factor()], w.logd[k*w.rows:(k+1)*w.rows]
		if x.full {
			active.density(panels, x.m, w.x, w.stride(), mean, factor, x.norm[k], w.d, out)
		} else {
			active.diagonal(panels, x.m, w.x, w.stride(), mean, factor, x.norm[k], out)
		}
	}
}

// fillPanels turns rows into panels. It returns their number, including panels of zeros that
// fill up the last group: the kernels for densities compute a group of panels together.
func (w *Workspace) fillPanels(rows []float64) int {
	w.n = len(rows) / w.m
	if len(rows) != w.n*w.m || w.n == 0 || w.n > w.rows {
		panic("mixture: shapes differ")
	}
	whole, stride := w.n/lanes, w.stride()
	if whole > 0 {
		active.turn(whole, w.m, rows, w.x, stride)
	}
	if rest := rows[whole*lanes*w.m:]; len(rest) > 0 {
		clear(w.tail[copy(w.tail, rest):])
		active.turn(1, w.m, w.tail, w.x[whole*stride:], stride)
	}
	panels := (w.n + lanes*active.group - 1) / (lanes * active.group) * active.group
	clear(w.x[w.paddedRows()/lanes*stride : panels*stride])
	for j := range w.paddedRows() {
		one := 0.0
		if j < w.n {
			one = 1
		}
		w.x[j/lanes*stride+w.m*lanes+j%lanes] = one
	}
	return panels
}

// paddedRows returns the number of rows, rounded up to whole panels.
func (w *Workspace) paddedRows() int { return (w.n + lanes - 1) / lanes * lanes }

// Components returns K.
func (w *Workspace) Components() int { return w.k }

// LogDensities returns ln N(x|k) for the block's rows.
func (w *Workspace) LogDensities(k int) []float64 { return w.logd[k*w.rows:][:w.n] }

// Responsibilities returns r_k for the block's rows. Values below e^−600 are 0.
func (w *Workspace) Responsibilities(k int) []float64 { return w.r[k*w.rows:][:w.n] }

// LogSums returns ln Σ_k π_k N(x|k) for the block's rows. It is NaN or −Inf for a row so far
// out that a density is no number or 0.
func (w *Workspace) LogSums() []float64 { return w.lse[:w.n] }

// Entropies returns, for component k and the block's rows, the highest l = ln N(x|k), then Σ
// e^(l−top), Σ e^(l−top)·(l−top) and Σ r·ln r. From the first three, package privacy computes the
// entropy of the rows' weights e^l.
func (w *Workspace) Entropies(x *Model, k int) (top, sum, moment, plogp float64) {
	at := k * w.rows
	active.highest(w.paddedRows(), w.logd[at:], w.tops[:])
	top = -math.MaxFloat64
	for _, v := range w.tops {
		top = max(top, v)
	}
	clear(w.sums[:])
	active.entropy(w.paddedRows(), w.logd[at:], w.r[at:], w.lse, x.logw[k], top, w.sums[:])
	return top, w.sums[0], w.sums[1], w.sums[2]
}
