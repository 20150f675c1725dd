package export

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/internal/export/onnx"
	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/model"
)

// ONNX returns a graph that computes the model's outputs, which depend on the kind. Its input
// "rows" has the data's columns in their units, in single precision. The model must be Complete.
// Errors are of type *KindError.
func ONNX(m *model.Model) (*File, error) {
	g := onnx.NewGraph(m.Manifest.Kind)
	columns := m.Manifest.Columns
	rows := g.Input("rows", "columns, in the units of the data: "+strings.Join(columns, ", "), onnx.Float, batch, axis(len(columns)))
	var f File
	f.list("columns", All, "the names of the %d columns", len(columns))
	doc, err := f.graph(g, m, rows)
	if err != nil {
		return nil, err
	}
	properties, err := f.properties(m)
	f.Bytes = onnx.Model{Graph: g, Producer: "collabdict", Doc: doc, Properties: properties}.Encode()
	return &f, err
}

// graph adds the computation of the model, and returns its description.
func (f *File) graph(g *onnx.Graph, m *model.Model, rows onnx.Value) (doc string, err error) {
	weights, ofBeta := betaVAE(m)
	switch m.Learned.(type) {
	case cgau.Trained, multitask.Trained:
	default:
		if !ofBeta {
			return "", &KindError{m.Manifest.Kind, "onnx"}
		}
	}
	columns := columnsOf(m)
	c := newCoordinates(g, columns)
	f.scaling(columns)
	f.axes(columns)
	f.warnCoarse(columns)
	switch of := m.Learned.(type) {
	case cgau.Trained:
		return f.classifier(g, c, of, rows), nil
	case multitask.Trained:
		return f.autoEncoder(g, c, of, rows), nil
	}
	return f.betaVAE(g, c, weights, rows), nil
}

// properties returns the metadata.
func (f *File) properties(m *model.Model) ([]onnx.Property, error) {
	names, err := json.Marshal(m.Manifest.Columns)
	all := []onnx.Property{{Key: "kind", Value: m.Manifest.Kind}, {Key: "columns", Value: string(names)}}
	if m.Manifest.Digest != "" {
		all = append(all, onnx.Property{Key: "digest", Value: m.Manifest.Digest})
		f.list("digest", All, "of the input of the last training step")
	}
	if m.Scorer() != nil && !nobodys(m.Conditions()) {
		decimal := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		all = append(all, onnx.Property{Key: "threshold", Value: decimal(m.Manifest.Threshold)}, onnx.Property{Key: "false_alarm", Value: decimal(m.Manifest.FalseAlarm)})
		f.list("threshold, false_alarm", Own, "a quantile of the scores of its own training rows, and its level")
	}
	return all, err
}

// batch is the number of rows.
var batch = onnx.Dim{Name: "batch"}

func axis(n int) onnx.Dim { return onnx.Dim{Length: n} }
