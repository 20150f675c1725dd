package export

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/onnx"
)

// ONNX returns a graph that does with rows what the model does: rows of the data's columns,
// in their units, in single precision, in the input "rows". What comes out depends on the
// kind. An error is of type *KindError.
func ONNX(m *model.Model) (*File, error) {
	var f File
	of, err := f.graph(m)
	if err != nil {
		return nil, err
	}
	f.Bytes = of.Encode()
	return &f, nil
}

func (f *File) graph(m *model.Model) (onnx.Model, error) {
	if m.Scorer == nil {
		return onnx.Model{}, &KindError{m.Manifest.Kind}
	}
	g := onnx.NewGraph(string(m.Manifest.Kind))
	columns := m.Manifest.Columns
	rows := g.Input("rows", "columns, in the units of the data: "+strings.Join(columns, ", "), onnx.Float, batch, axis(len(columns)))
	c := newCoordinates(g, m)
	f.list("columns", All, "the names of the %d columns", len(columns))
	f.scaling(m)
	f.axes(m)
	f.warnCoarse(m)
	out := onnx.Model{Graph: g, Producer: "collabdict"}
	switch of := m.Scorer.(type) {
	case model.AutoEncoder:
		out.Doc = f.autoEncoder(g, c, of, rows)
	case model.BetaVAE:
		out.Doc = f.betaVAE(g, c, of, rows)
	default:
		return out, &KindError{m.Manifest.Kind}
	}
	names, err := json.Marshal(columns)
	if err != nil {
		return out, err
	}
	out.Properties = append(out.Properties, onnx.Property{Key: "kind", Value: string(m.Manifest.Kind)}, onnx.Property{Key: "columns", Value: string(names)})
	if m.Manifest.Digest != "" {
		out.Properties = append(out.Properties, onnx.Property{Key: "digest", Value: m.Manifest.Digest})
		f.list("digest", All, "of what the last step of the training was given")
	}
	out.Properties = append(out.Properties,
		onnx.Property{Key: "threshold", Value: strconv.FormatFloat(m.Manifest.Threshold, 'g', -1, 64)},
		onnx.Property{Key: "false_alarm", Value: strconv.FormatFloat(m.Manifest.FalseAlarm, 'g', -1, 64)})
	f.list("threshold, false_alarm", Own, "a quantile of the scores of its own training rows, and which one")
	return out, nil
}

// batch is the number of rows.
var batch = onnx.Dim{Name: "batch"}

func axis(n int) onnx.Dim { return onnx.Dim{Length: n} }
