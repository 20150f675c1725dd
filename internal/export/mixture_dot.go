package export

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/collabdict/collabdict/gmm"
)

// DOT returns the dependency graphs of all components in the language of Graphviz, as
// clusters of one graph. Variables without a dependency are left out. Blue edges are
// positive partial correlations, orange ones negative.
func (x *Mixture) DOT() (*File, error) {
	var f File
	x.listGraphs(&f)
	var b bytes.Buffer
	fmt.Fprintf(&b, "graph %s {\n  node [shape=box, fontname=\"Helvetica\"];\n  edge [fontname=\"Helvetica\", fontsize=10];\n", quoted(x.Kind))
	names := x.Variables()
	for k, w := range x.Weights() {
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s;\n", k+1, quoted(fmt.Sprintf("component %d, weight %.3g", k+1, w)))
		edges, seen := gmm.Dependencies(x.Precision(k)), map[int]bool{}
		for _, e := range edges {
			seen[e.A], seen[e.B] = true, true
		}
		for i, name := range names {
			if seen[i] {
				fmt.Fprintf(&b, "    c%d_%d [label=%s];\n", k+1, i+1, quoted(name))
			}
		}
		for _, e := range edges {
			color := "#0072b2"
			if e.PartialCorrelation < 0 {
				color = "#e69f00"
			}
			fmt.Fprintf(&b, "    c%d_%d -- c%[1]d_%[3]d [label=\"%+.2f\", partial_correlation=\"%g\", color=%q, penwidth=%.2f];\n",
				k+1, e.A+1, e.B+1, e.PartialCorrelation, e.PartialCorrelation, color, 0.5+4*math.Abs(e.PartialCorrelation))
		}
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
	f.Bytes = b.Bytes()
	return &f, nil
}

// quoted returns a string of DOT.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}

// Variables returns the names of the coordinates of training: the columns, or the axes.
func (x *Mixture) Variables() []string { return x.Columns.variables() }

// Graphs returns a file of drawn dependency graphs.
func (x *Mixture) Graphs(drawn []byte) *File {
	f := File{Bytes: drawn}
	x.listGraphs(&f)
	return &f
}

func (x *Mixture) listGraphs(f *File) {
	f.Private, f.Warnings = x.Own, x.Warnings
	f.list("columns", All, "the names of the %d columns", len(x.Columns.Names))
	if x.Own {
		f.list("weights", Own, "%d: the share of its own rows in each component", x.Components())
	} else {
		f.list("weights", All, "%d: the share of all rows in each component", x.Components())
	}
	f.list("partial correlations", All, "of the %d components", x.Components())
	for k := range x.Components() {
		if len(gmm.Dependencies(x.Precision(k))) > 0 {
			return
		}
	}
	f.Warnings = append(f.Warnings, "no component has an edge: all its matrices are diagonal")
}
