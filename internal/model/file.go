package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/collabdict/collabdict/internal/atomicfile"
	"github.com/collabdict/collabdict/internal/npz"
)

const (
	format   = "collabdict model"
	manifest = "manifest.json"
)

// Error is a model file that cannot be used.
type Error struct {
	File string
	Msg  string
	Hint string
}

func (e *Error) Error() string {
	s := e.File + ": " + e.Msg
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// File is the name of a model's file in the folder of a participant.
const File = "model.npz"

// Save writes the model into a folder, with its [OwnFile] if it has what belongs in there.
// That is there first: a model has its own part, or none.
func Save(dir string, m *Model) error {
	if m.conditioned() != nil {
		if err := WriteOwn(filepath.Join(dir, OwnFile), m); err != nil {
			return err
		}
	}
	return Write(filepath.Join(dir, File), m)
}

// Write writes the model to a file, which appears whole or not at all.
func Write(path string, m *Model) error {
	return atomicfile.Write(path, 0o600, func(w io.Writer) error { return m.write(w) })
}

func (m *Model) write(out io.Writer) error {
	m.Manifest.Format, m.Manifest.Version = format, withoutAxes
	if m.Projection != nil {
		m.Manifest.Version, m.Manifest.PCA = Version, m.Projection.Report()
	}
	if mixture := m.Mixture(); mixture != nil {
		m.Manifest.Covariance = covariance(mixture.Form())
	}
	text, err := json.MarshalIndent(m.Manifest, "", "  ")
	if err != nil {
		return err
	}
	w := npz.NewWriter(out)
	if err := w.File(manifest, append(text, '\n')); err != nil {
		return err
	}
	if err := m.putScorer(w); err != nil {
		return err
	}
	columns := len(m.Manifest.Columns)
	var arrays []namedArray
	if !m.scaledApart() {
		arrays = scalingArrays(m.Scaling)
	}
	if p := m.Projection; p != nil {
		arrays = append(arrays, namedArray{"centre", []int{columns}, p.Mean}, namedArray{"axes", []int{m.Dim(), columns}, p.Axes.RawMatrix().Data})
	}
	if err := putArrays(w, "", arrays); err != nil {
		return err
	}
	if m.Own != nil {
		if err := m.Own.put(w); err != nil {
			return err
		}
	}
	return w.Close()
}

// putScorer writes the arrays that rows are scored or classified by.
func (m *Model) putScorer(w *npz.Writer) error {
	if g, ok := m.Classifier.(Gated); ok {
		return g.put(w)
	}
	if a, ok := m.Scorer.(AutoEncoder); ok {
		return a.put(w)
	}
	if b, ok := m.Scorer.(BetaVAE); ok {
		return b.put(w)
	}
	return putMixture(w, "", m.Mixture())
}

type namedArray struct {
	name  string
	shape []int
	data  []float64
}

// putArrays writes arrays, each under its name with a prefix.
func putArrays(w *npz.Writer, prefix string, arrays []namedArray) error {
	for _, a := range arrays {
		if err := npz.Put(w, prefix+a.name, npz.Array[float64]{Shape: a.shape, Data: a.data}); err != nil {
			return err
		}
	}
	return nil
}

// Read reads a model from a file. Errors are of type *Error.
func Read(path string) (*Model, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{File: path, Msg: "no such model file", Hint: "training writes it as model.npz under --out or --dir"}
	}
	if err != nil {
		return nil, &Error{File: path, Msg: err.Error()}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, &Error{File: path, Msg: err.Error()}
	}
	m, err := read(f, info.Size())
	if err != nil {
		e := &Error{File: path, Msg: err.Error(), Hint: "is this a model.npz that collabdict has written?"}
		var version *versionError
		if errors.As(err, &version) {
			e.Hint = "use the collabdict that wrote it, or train again"
		}
		return nil, e
	}
	return m, nil
}

type versionError struct{ got int }

func (e *versionError) Error() string {
	return fmt.Sprintf("want model version %d or %d, got %d", withoutAxes, Version, e.got)
}

func read(r io.ReaderAt, size int64) (*Model, error) {
	a, err := npz.Open(r, size)
	if err != nil {
		return nil, err
	}
	text, err := a.File(manifest)
	if err != nil {
		return nil, err
	}
	m := &Model{}
	if err := json.Unmarshal(text, &m.Manifest); err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	switch {
	case m.Manifest.Format != format:
		return nil, fmt.Errorf("%s: want format %q, got %q", manifest, format, m.Manifest.Format)
	case m.Manifest.Version != Version && m.Manifest.Version != withoutAxes:
		return nil, &versionError{m.Manifest.Version}
	case !slices.Contains(Kinds(), m.Manifest.Kind):
		return nil, fmt.Errorf("%s: want a model of kind %s, got %q", manifest, KindNames(), m.Manifest.Kind)
	}
	return m, m.readArrays(a)
}

func (m *Model) readArrays(a *npz.Archive) error {
	columns := len(m.Manifest.Columns)
	if columns == 0 {
		return fmt.Errorf("%s: want at least one column, got none", manifest)
	}
	dim, err := m.dim(columns)
	if err != nil {
		return err
	}
	if m.Manifest.Kind == CGAU {
		m.Classifier, err = m.readGated(a, dim)
	} else {
		m.Scorer, err = m.readScorer(a, dim)
	}
	if err != nil {
		return err
	}
	if m.Manifest.Kind == FedGEM {
		if m.Own, err = m.readOwn(a, dim); err != nil {
			return err
		}
	}
	return m.readCoordinates(a, columns)
}

// readScorer is the inverse of putScorer.
func (m *Model) readScorer(a *npz.Archive, dim int) (Scorer, error) {
	switch m.Manifest.Kind {
	case MTVAE:
		return m.readAutoEncoder(a, dim)
	case BVAE:
		return m.readBetaVAE(a, dim)
	}
	mixture, err := m.readMixture(a, "", dim)
	return Mixture{mixture}, err
}

// array returns the values of an array that must have the given shape.
func array(a *npz.Archive, name string, shape ...int) ([]float64, error) {
	got, err := npz.Get[float64](a, name)
	if err != nil {
		return nil, err
	}
	if fmt.Sprint(got.Shape) != fmt.Sprint(shape) {
		return nil, fmt.Errorf("%s: want shape %v, got %v", name, shape, got.Shape)
	}
	return got.Data, nil
}
