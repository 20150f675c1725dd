package gmm

import "math"

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
