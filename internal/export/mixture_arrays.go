package export

import (
	"bytes"
	"encoding/json"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/npz"
)

// manifest describes the arrays.
func (x *Mixture) manifest() release {
	c := x.Columns
	of := release{
		Format: Format, Version: Version, Kind: x.Kind, Columns: c.Names, Window: c.Window, Standardise: c.Standardise, Normalise: c.Normalise,
		Digest: x.Digest, Weights: x.whose(), Covariance: x.Form().String(), Score: x.score(), Privacy: x.Release,
	}
	if x.Own {
		of.Threshold, of.FalseAlarm = &x.Threshold, &x.FalseAlarm
	}
	return of
}

func (x *Mixture) score() string {
	if x.Expected {
		return "expected"
	}
	return "density"
}

// arrays lists the contents of a file, and returns the arrays.
func (x *Mixture) arrays(f *File) []algorithm.Array {
	x.list(f)
	return append(x.WithRows(nil).Arrays(), f.columns(x.Columns)...)
}

// NPZ returns the mixture as the arrays of model.npz, with a manifest.json.
func (x *Mixture) NPZ() (*File, error) {
	var f File
	var b bytes.Buffer
	w := archive{w: npz.NewWriter(&b)}
	text, err := json.MarshalIndent(x.manifest(), "", "  ")
	if err != nil {
		return nil, err
	}
	w.err = w.w.File("manifest.json", append(text, '\n'))
	for _, a := range x.arrays(&f) {
		w.array(a.Name, a.Values, a.Shape...)
	}
	if w.err == nil {
		w.err = w.w.Close()
	}
	f.Bytes = b.Bytes()
	return &f, w.err
}

// JSON returns the mixture as one object: the fields of the manifest that [Mixture.NPZ]
// writes, and its arrays as nested lists.
func (x *Mixture) JSON() (*File, error) {
	var f File
	text, err := json.Marshal(x.manifest())
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(text[:len(text)-1]) // without its end
	for _, a := range x.arrays(&f) {
		values, err := json.Marshal(nested(a.Values, a.Shape))
		if err != nil {
			return nil, err
		}
		b.WriteString(",\n\"" + a.Name + "\": ")
		b.Write(values)
	}
	b.WriteString("}\n")
	f.Bytes = b.Bytes()
	return &f, nil
}

// nested returns values in row-major order as lists of lists.
func nested(values []float64, shape []int) any {
	if len(shape) < 2 {
		return values
	}
	size := len(values) / shape[0]
	out := make([]any, shape[0])
	for i := range out {
		out[i] = nested(values[i*size:(i+1)*size], shape[1:])
	}
	return out
}
