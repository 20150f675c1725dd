package export

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/vae"
)

// Format and version named in the manifest of a release.
const (
	Format  = "collabdict release"
	Version = 1
)

// release is the manifest that [NPZ] writes: the part of a model's manifest that others need to
// use the arrays.
type release struct {
	Format      string   `json:"format"`
	Version     int      `json:"version"`
	Kind        string   `json:"kind"`
	Columns     []string `json:"columns"`
	Window      int      `json:"window,omitempty"` // as in model.Manifest
	Standardise string   `json:"standardise"`
	Normalise   string   `json:"normalise,omitempty"`
	Beta        float64  `json:"beta,omitempty"` // β of a β-VAE, for scores
	Digest      string   `json:"digest,omitempty"`
	// For mixtures: the owner of the weights, All or Own, and their fields of model.npz.
	Weights    Owner  `json:"weights_of,omitempty"`
	Covariance string `json:"covariance,omitempty"`
	Score      string `json:"score,omitempty"`
	// Threshold and FalseAlarm are the participant's own.
	Threshold  *float64 `json:"threshold,omitempty"`
	FalseAlarm *float64 `json:"false_alarm,omitempty"`
	Privacy    *Release `json:"privacy,omitempty"`
}

// NPZ returns the part of a model that all participants share: the arrays of model.npz, and a
// manifest.json that reveals nothing about participants. The bytes are the same at each
// participant. Errors are of type *KindError.
func NPZ(m *model.Model) (*File, error) {
	var f File
	shared := f.shared(m)
	if shared == nil {
		return nil, &KindError{m.Manifest.Kind, "npz"}
	}
	var b bytes.Buffer
	w := archive{w: npz.NewWriter(&b)}
	d := m.Manifest
	text, err := json.MarshalIndent(release{
		Format: Format, Version: Version, Kind: d.Kind, Columns: d.Columns, Window: d.Window,
		Standardise: d.Standardise, Normalise: d.Normalise, Beta: d.Hyper.Float("beta"), Digest: d.Digest,
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	w.err = w.w.File("manifest.json", append(text, '\n'))
	f.list("manifest.json", All, "kind, names of columns, their scaling, the factor beta if scores need it, digest of the last step")
	shared(w.matrix)
	for _, a := range f.columns(columnsOf(m).shared()) {
		w.array(a.Name, a.Values, a.Shape...)
	}
	if w.err == nil {
		w.err = w.w.Close()
	}
	f.Bytes = b.Bytes()
	return &f, w.err
}

// shared lists the networks, or parts of them, that all participants share. It returns a
// function that visits their matrices, nil if the model has none.
func (f *File) shared(m *model.Model) func(func(vae.Shape, []float32)) {
	switch of := m.Learned.(type) {
	case cgau.Trained:
		f.list("classifier.0.weight, …", All, "weights and biases, without any participant's conditions")
		return of.Model.Shared().Matrices
	case multitask.Trained:
		f.list("decoder.0.weight, …", All, "weights and biases of the shared decoder")
		return of.Decoder.Shared.Matrices
	}
	if of, ok := betaVAE(m); ok {
		f.list("encoder.0.weight, …, decoder.0.weight, …", All, "weights and biases")
		return of.Parameters().Matrices
	}
	return nil
}

// betaVAE returns the model if it is a β-VAE, with or without conditions.
func betaVAE(m *model.Model) (beta.Trained, bool) {
	if of, ok := m.Learned.(beta.Conditioned); ok {
		return of.Trained, true
	}
	of, ok := m.Learned.(beta.Trained)
	return of, ok
}

// columns lists and returns the arrays that map rows to the coordinates of training.
func (f *File) columns(c Columns) (arrays []algorithm.Array) {
	columns := len(c.Names)
	if c.scaled() {
		f.scaling(c)
		arrays = append(arrays,
			algorithm.Array{Name: "shift", Shape: []int{columns}, Values: c.Scaling.Shift},
			algorithm.Array{Name: "scale", Shape: []int{columns}, Values: c.Scaling.Scale})
	}
	if p := c.Projection; p != nil {
		f.axes(c)
		arrays = append(arrays,
			algorithm.Array{Name: "centre", Shape: []int{columns}, Values: p.Mean},
			algorithm.Array{Name: "axes", Shape: []int{c.dim(), columns}, Values: p.Axes.RawMatrix().Data})
	}
	return arrays
}

// archive writes arrays until one fails.
type archive struct {
	w   *npz.Writer
	err error
}

func (a *archive) array(name string, values []float64, shape ...int) {
	if a.err == nil {
		a.err = npz.Put(a.w, name, npz.Array[float64]{Shape: shape, Data: values})
	}
}

// matrix writes a matrix of weights, or a vector of biases.
func (a *archive) matrix(s vae.Shape, values []float32) {
	wide := make([]float64, len(values))
	for i, v := range values {
		wide[i] = float64(v)
	}
	shape := []int{s.Rows, s.Columns}
	if strings.HasSuffix(s.Name, ".bias") {
		shape = shape[1:]
	}
	a.array(s.Name, wide, shape...)
}
