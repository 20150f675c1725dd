package export

import (
	"fmt"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// Components describes what the components of a mixture have learned, in the units of the data. They
// are nil for another model.
func Components(m *model.Model) (all []report.Component) {
	of, ok := m.Learned.(algorithm.Dictionary)
	if !ok {
		return nil
	}
	means, names := m.InUnits(of.Means()), columnsOf(m).variables()
	for k, w := range of.Weights() {
		c := report.Component{Weight: w, Mean: means.RawRowView(k), Edges: []report.Edge{}}
		for _, e := range gmm.Dependencies(of.Precision(k)) {
			c.Edges = append(c.Edges, report.Edge{A: names[e.A], B: names[e.B], PartialCorrelation: e.PartialCorrelation})
		}
		all = append(all, c)
	}
	return all
}

// variables names the coordinates of training: the columns, or the axes that they are projected to.
func (c Columns) variables() []string {
	if c.Projection == nil {
		return c.Names
	}
	names := make([]string, c.dim())
	for i := range names {
		names[i] = fmt.Sprintf("axis%d", i+1)
	}
	return names
}
