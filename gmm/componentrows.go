package gmm

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// componentRows is the name of the array that holds [Mixture.ComponentRows].
const componentRows = "component_rows"

// Density returns the mixture itself. Models that contain a mixture have the same method.
func (m *Mixture) Density() *Mixture { return m }

// ComponentRows returns a copy of N_k, the number of rows that each component has among all
// participants, or nil if it is not known. All participants have the same N_k, whereas their
// weights may differ.
func (m *Mixture) ComponentRows() []float64 { return append([]float64(nil), m.rows...) }

// WithRows returns the mixture with a copy of N_k for [Mixture.ComponentRows]; nil means
// unknown. Numbers below 0, which noise may cause, count as 0.
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

// WithTotal is [Mixture.WithRows] for weights shared by all participants, who have total rows
// together.
func (m *Mixture) WithTotal(total float64) *Mixture {
	rows := m.Weights()
	for k := range rows {
		rows[k] *= total
	}
	return m.WithRows(rows)
}

// LeastRows returns the rows that a component needs to be written or released, given the total
// number of rows.
func LeastRows(total float64) float64 { return math.Max(1, 1e-3*total) }

// Enough returns the indices, from 0, of the components that have at least [LeastRows].
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

// Only returns the mixture of the given components, at least one, weighted by their
// [Mixture.ComponentRows]. It panics if these are unknown or all 0.
func (m *Mixture) Only(components []int) *Mixture {
	dim, all := m.Dim(), 0.0
	out := &Mixture{form: m.form, means: mat.NewDense(len(components), dim, nil)}
	for i, k := range components {
		out.parts, out.rows = append(out.parts, m.parts[k]), append(out.rows, m.rows[k])
		if m.form == Full {
			out.precisions = append(out.precisions, m.precisions[k])
		}
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

// WithMeans returns the mixture with a copy of other means, K by M and finite.
func (m *Mixture) WithMeans(means *mat.Dense) *Mixture {
	if r, c := means.Dims(); r != m.Components() || c != m.Dim() {
		panic(errShape)
	}
	out := *m
	out.means = mat.DenseCopyOf(means)
	return &out
}
