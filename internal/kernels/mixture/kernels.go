package mixture

import "github.com/collabdict/collabdict/internal/kernels/cpu"

// lanes is the number of rows of a panel. Variable i of row l of panel p is
// x[p*stride+i*lanes+l].
const lanes = 8

// kernels is one implementation of the inner loops. Arrays with one value per row have no gaps,
// except x.
type kernels struct {
	path  cpu.Path
	group int // panels that density and diagonal compute together; they need whole groups
	// turn copies rows of vars values to x, 8 rows per panel.
	turn func(panels, vars int, rows, x []float64, stride int)
	// density sets out to norm − ½ ‖U(x−mean)‖². U is upper triangular, vars by vars, and factor
	// has it in the order of pack. D is scratch for group panels of vars variables.
	density func(panels, vars int, x []float64, stride int, mean, factor []float64, norm float64, d, out []float64)
	// diagonal sets out to norm − ½ Σ_i precision_i (x_i−mean_i)².
	diagonal func(panels, vars int, x []float64, stride int, mean, precision []float64, norm float64, out []float64)
	// normalise sets r to the responsibilities of k components and lse to ln Σ e^(logd+logw),
	// for n rows, a multiple of lanes. Component i of row j is at i*stride+j.
	normalise func(n, k, stride int, logd, logw, r, lse []float64)
	// highest sets top[l] to the highest x among the rows at place l of a panel, over n rows.
	highest func(n int, x, top []float64)
	// entropy adds Σ e^(logd−top), Σ e^(logd−top)·(logd−top), and Σ r·ln r with ln r = logd +
	// logw − lse, over n rows, to sums, which has room for 4.
	entropy func(n int, logd, r, lse []float64, logw, top float64, sums []float64)
	// centre sets d to x−mean.
	centre func(panels, vars int, x []float64, stride int, mean, d []float64)
	// scatter adds Σ r·x·xᵀ over all rows to the upper triangle of c. It adds 0 to up to three
	// elements after a row of c. W is scratch for panels of mostHeight variables.
	scatter func(panels, vars int, x []float64, stride int, r, w, c []float64, ldc int)
	// spread adds Σ r(x−centre) to sums and Σ r(x−centre)² to squares. It adds 0 to up to three
	// elements after the end of each.
	spread func(panels, vars int, x []float64, stride int, centre, r, sums, squares []float64)
}

// mostGroup is a multiple of the group of every kernel.
const mostGroup = 4

// mostHeight is the most variables whose weighted values scatter keeps.
const mostHeight = 6

// beyond is the number of elements after the end of sums to which scatter and spread may add 0,
// because they write four sums at a time.
const beyond = 3

// active is fixed for the process; only tests change it.
var active = func() *kernels {
	for _, k := range all() {
		if k.path == cpu.Active() {
			return k
		}
	}
	panic("mixture: no kernels for " + cpu.Active())
}()

// strip is the number of rows of U whose products are in registers at a time.
const strip = 6

// pack copies the upper triangle of u, m by m, to the order in which density reads it. For each
// strip of rows, the triangle at the diagonal comes first, by columns, and then the columns to
// the right.
func pack(to, u []float64, m int) {
	for top := 0; top < m; top += strip {
		for j := top; j < m; j++ {
			for i := top; i <= min(j, top+strip-1); i++ {
				to[0] = u[i*m+j]
				to = to[1:]
			}
		}
	}
}
