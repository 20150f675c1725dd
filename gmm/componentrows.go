package gmm

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// componentRows is the name of the array of [Mixture.ComponentRows].
const componentRows = "component_rows"

// Density returns the mixture itself, of which models have more.
func (m *Mixture) Density() *Mixture { return m }

// ComponentRows returns a copy of N_k: how many rows of all participants each component has.
// It is the same at all of them, unlike weights that are each participant's own. nil if it is
// not known.
func (m *Mixture) ComponentRows() []float64 { return append([]float64(nil), m.rows...) }

// WithRows returns the mixture with N_k for [Mixture.ComponentRows], which it copies. Noise
// may have moved a number below 0, which counts as that. nil is for unknown ones.
func (m *Mixture) WithRows(rows []float64) *Mixture {
	if rows != nil && len(rows) != m.Components() {
		panic(errShape)
	}
	out := *m
	out.rows = append([]float64(nil), rows...)
	for k, n := range out.rows {
		out.rows[k] = math.Max(n, 0)
	}
	return &out
}

// WithTotal is [Mixture.WithRows] for weights of all participants, of so many rows in all.
func (m *Mixture) WithTotal(total float64) *Mixture {
	rows := m.Weights()
	for k := range rows {
		rows[k] *= total
	}
	return m.WithRows(rows)
}

// LeastRows returns the rows that a component must have to be written or released, of
// so many in all.
func LeastRows(total float64) float64 { return math.Max(1, 1e-3*total) }

// Enough returns the components that have [LeastRows] of the rows given, from 0.
func Enough(rows []float64) (components []int) {
	total := 0.0
	for _, n := range rows {
		total += n
	}
	least := LeastRows(total)
	for k, n := range rows {
		if n >= least {
			components = append(components, k)
		}
	}
	return components
}

// Only returns the mixture of some components, at least one, weighted by their
// [Mixture.ComponentRows]. It panics if these are not known, or all 0.
func (m *Mixture) Only(components []int) *Mixture {
	dim, all := m.Dim(), 0.0
	out := &Mixture{form: m.form, means: mat.NewDense(len(components), dim, nil)}
	for i, k := range components {
		out.parts, out.rows = append(out.parts, m.parts[k]), append(out.rows, m.rows[k])
		out.means.SetRow(i, m.means.RawRowView(k))
		all += m.rows[k]
	}
	if !(all > 0) {
		panic("gmm: no component has a row")
	}
	for _, n := range out.rows {
		out.weights = append(out.weights, n/all)
	}
	return out
}

// WithMeans returns the mixture with other means, K by M and finite, which it copies.
func (m *Mixture) WithMeans(means *mat.Dense) *Mixture {
	if r, c := means.Dims(); r != m.Components() || c != m.Dim() {
		panic(errShape)
	}
	out := *m
	out.means = mat.DenseCopyOf(means)
	return &out
}
