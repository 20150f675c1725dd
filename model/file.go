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

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/files/printable"
)

const (
	format   = "collabdict model"
	manifest = "manifest.json"
)

// An Error reports a model file that cannot be used.
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

// File is the name of a model's file in a participant's folder.
const File = "model.npz"

// Save writes the model into a folder. It first writes the [OwnFile] if the model has private
// parameters, and the [LocalFile] if it has a local part. So a model in a folder has all its
// parts.
func Save(dir string, m *Model) error {
	if m.Local != nil {
		if err := WriteLocalFile(filepath.Join(dir, LocalFile), m); err != nil {
			return err
		}
	}
	if m.Personal() != nil {
		if err := WriteOwnFile(filepath.Join(dir, OwnFile), m); err != nil {
			return err
		}
	}
	return WriteFile(filepath.Join(dir, File), m)
}

// WriteFile writes the model to a file, which appears complete or not at all.
func WriteFile(path string, m *Model) error {
	return files.Write(path, 0o600, m.Write)
}

// Write writes the model.
func (m *Model) Write(out io.Writer) error {
	m.Manifest.Format, m.Manifest.Version = format, withoutAxes
	m.Manifest.Local = m.Manifest.Local || m.Local != nil
	if m.Projection != nil {
		m.Manifest.Version, m.Manifest.PCA = Version, PCA(m.Projection)
	}
	if form := m.Manifest.Hyper.Text("covariance"); form != "full" {
		m.Manifest.Covariance = form
	}
	text, err := json.MarshalIndent(m.Manifest, "", "  ")
	if err != nil {
		return err
	}
	w := npz.NewWriter(out)
	if err := w.File(manifest, append(text, '\n')); err != nil {
		return err
	}
	arrays := append(m.Learned.Arrays(), priorArrays(m.PriorVariances)...)
	if !m.scaledApart() {
		arrays = append(arrays, scalingArrays(m.Scaling)...)
	}
	if p := m.Projection; p != nil {
		columns := len(m.Manifest.Columns)
		arrays = append(arrays,
			algorithm.Array{Name: "centre", Shape: []int{columns}, Values: p.Mean},
			algorithm.Array{Name: "axes", Shape: []int{m.Dim(), columns}, Values: p.Axes.RawMatrix().Data})
	}
	if err := putArrays(w, arrays); err != nil {
		return err
	}
	return w.Close()
}

func putArrays(w *npz.Writer, arrays []algorithm.Array) (err error) {
	for _, a := range arrays {
		if a.Ints != nil {
			err = npz.Put(w, a.Name, npz.Array[int64]{Shape: a.Shape, Data: a.Ints})
		} else {
			err = npz.Put(w, a.Name, npz.Array[float64]{Shape: a.Shape, Data: a.Values})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// arrays reads the arrays of a file.
type arrays struct{ *npz.Archive }

func (a arrays) Values(name string, shape ...int) ([]float64, []int, error) {
	return get[float64](a.Archive, name, shape)
}

func (a arrays) Ints(name string, shape ...int) ([]int64, []int, error) {
	return get[int64](a.Archive, name, shape)
}

// Has reports whether an array of the name exists.
func (a arrays) Has(name string) bool { return slices.Contains(a.Names(), name+".npy") }

func get[T float64 | int64](a *npz.Archive, name string, shape []int) ([]T, []int, error) {
	got, err := npz.Get[T](a, name)
	if err == nil && shape != nil {
		err = algorithm.SameShape(name, got.Shape, shape)
	}
	return got.Data, got.Shape, err
}

// ReadFile reads a model from a file. Errors are of type *Error.
func ReadFile(path string) (*Model, error) {
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
	m, err := Read(f, info.Size())
	if err != nil {
		e := &Error{File: path, Msg: err.Error(), Hint: "copy it again, or use another model.npz that collabdict has written"}
		if errors.As(err, new(*versionError)) {
			e.Hint = "use the release of collabdict that wrote it, or train again"
		}
		return nil, e
	}
	return m, nil
}

type versionError struct{ got int }

func (e *versionError) Error() string {
	return fmt.Sprintf("want model version %d or %d, got %d", withoutAxes, Version, e.got)
}

// Read reads a model of size bytes.
func Read(r io.ReaderAt, size int64) (*Model, error) {
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
	}
	if _, err := m.kind(); err != nil {
		return nil, err
	}
	return m, m.readArrays(arrays{a})
}

// kind returns the algorithm's kind that the manifest names.
func (m *Model) kind() (algorithm.Kind, error) {
	of, ok := algorithms.Lookup(m.Manifest.Kind)
	if !ok {
		return of, fmt.Errorf("%s: want a model of kind %s, got %q", manifest, algorithms.Names(), m.Manifest.Kind)
	}
	return of, nil
}

func (m *Model) readArrays(a arrays) error {
	columns := len(m.Manifest.Columns)
	if columns == 0 {
		return fmt.Errorf("%s: want at least one column, got none", manifest)
	}
	for _, name := range append([]string{m.Manifest.Participant}, m.Manifest.Columns...) {
		if !printable.Text(name) {
			return fmt.Errorf("%s: want names without characters that cannot be seen, got %q", manifest, name)
		}
	}
	if f := m.Manifest.FalseAlarm; !(f >= 0 && f < 1) {
		return fmt.Errorf("%s: want false_alarm from 0 to below 1, got %g", manifest, f)
	}
	if w := m.Manifest.Window; w != 0 && (w < rows.LeastWindow || w > rows.MostWindow || !slices.Equal(rows.WindowColumns(m.DataColumns(), w), m.Manifest.Columns)) {
		return fmt.Errorf("%s: window: want columns with their means and deviations over %d rows, got other columns", manifest, w)
	}
	dim, err := m.dim(columns)
	if err != nil {
		return err
	}
	if m.Learned, err = m.load(a, dim); err != nil {
		return err
	}
	if m.PriorVariances, err = readPrior(a, dim); err != nil {
		return err
	}
	return m.readCoordinates(a, columns)
}

// load returns the model of the arrays, by the kind and the options of the manifest.
func (m *Model) load(a algorithm.Arrays, dim int) (algorithm.Model, error) {
	of, err := m.Algorithm()
	if err != nil {
		return nil, err
	}
	return of.Load(a, dim)
}

// Algorithm returns the algorithm that learned the model, with the settings of the manifest.
func (m *Model) Algorithm() (algorithm.Algorithm, error) {
	kind, err := m.kind()
	if err != nil {
		return nil, err
	}
	// Without these options in a file, the covariance is full and there are no hidden layers,
	// whatever the defaults are.
	options := map[string]any{"covariance": "full", "hidden": ""}
	if m.Manifest.Covariance != "" {
		options["covariance"] = m.Manifest.Covariance
	}
	for k, v := range m.Manifest.Hyper {
		options[k] = v
	}
	of := kind.New()
	table := of.Options()
	if _, err = table.Load(options); err == nil {
		err = table.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	return of, nil
}
