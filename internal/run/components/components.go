// Package components describes what the components of a mixture have learned, in the units of the data.
package components

import (
	"fmt"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/model"
)

// Component is a component of a mixture.
type Component struct {
	Weight float64   `json:"weight"` // its share of the own rows
	Mean   []float64 `json:"mean"`   // in the units of the data
	Edges  []Edge    `json:"edges"`  // direct dependencies, the strongest first
}

// Edge is a direct dependency between two variables.
type Edge struct {
	A                  string  `json:"a"`                   // a column
	B                  string  `json:"b"`                   // another column
	PartialCorrelation float64 `json:"partial_correlation"` // from −1 to 1
}

// Of returns the components of a mixture, nil for another model.
func Of(m *model.Model) (all []Component) {
	of, ok := m.Learned.(algorithm.Dictionary)
	if !ok {
		return nil
	}
	means, names := m.InUnits(of.Means()), coordinates(m)
	for k, w := range of.Weights() {
		c := Component{Weight: w, Mean: means.RawRowView(k), Edges: []Edge{}}
		for _, e := range gmm.Dependencies(of.Precision(k)) {
			c.Edges = append(c.Edges, Edge{names[e.A], names[e.B], e.PartialCorrelation})
		}
		all = append(all, c)
	}
	return all
}

// coordinates names the coordinates of training: the columns, or the axes that they are
// projected to.
func coordinates(m *model.Model) []string {
	if m.Projection == nil {
		return m.Manifest.Columns
	}
	names := make([]string, m.Dim())
	for i := range names {
		names[i] = fmt.Sprintf("axis%d", i+1)
	}
	return names
}
