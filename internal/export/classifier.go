package export

import (
	"slices"

	"github.com/collabdict/collabdict/internal/export/onnx"
	"github.com/collabdict/collabdict/internal/networks/cgau"
)

// classifier adds the graph of a classifier, with its conditions added to the biases, and
// returns its description.
func (f *File) classifier(g *onnx.Graph, c *coordinates, of cgau.Trained, rows onnx.Value) string {
	logits := newNetwork(g, "classifier", of.Network()).forward("classify", c.trained(rows))
	g.Output(g.Apply("probabilities", onnx.Softmax, logits), "of the classes, from class 0 on", onnx.Float, batch, axis(of.Classes()))
	f.adapted("classifier", of.Conditions().Values)
	return "Classifier of conditional gated activation units."
}

// nobodys reports whether conditions have their initial values, for which no participant has
// set a threshold.
func nobodys(conditions []float32) bool {
	return len(conditions) > 0 && !slices.ContainsFunc(conditions, func(v float32) bool { return v != 0 })
}

// adapted lists networks with or without conditions.
func (f *File) adapted(name string, conditions []float32) {
	switch {
	case len(conditions) == 0:
		f.list(name, All, "weights and biases")
	case !nobodys(conditions):
		f.Private = true
		f.list(name, Own, "weights and biases, with its own conditions added: anybody who has the shared biases can compute the conditions")
	default:
		f.list(name, All, "weights and biases, without any participant's conditions")
		f.Warnings = append(f.Warnings, "conditions are 0, which no participant has: no participant has such scores or probabilities, and there is no threshold for them")
	}
}
