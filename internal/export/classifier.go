package export

import (
	"slices"

	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/onnx"
)

// classifier adds the graph of a classifier, with its conditions as they are added to the
// biases, and returns what is to be said of it.
func (f *File) classifier(g *onnx.Graph, c *coordinates, of model.Gated, rows onnx.Value) string {
	logits := newNetwork(g, "classifier", of.Network()).forward("classify", c.trained(rows))
	g.Output(g.Apply("probabilities", onnx.Softmax, logits), "of the classes, from class 0 on", onnx.Float, batch, axis(of.Classes()))
	if slices.ContainsFunc(of.Conditions().Values, func(v float32) bool { return v != 0 }) {
		f.Private = true
		f.list("classifier", Own, "weights and biases, to which its own conditions are added: who has the shared biases can tell them")
	} else {
		f.list("classifier", All, "weights and biases, without the conditions of anyone")
	}
	return "Classifier of conditional gated activation units."
}
