package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/files"
)

// OwnFile is the name of the file beside the model's that holds the private parameters.
const OwnFile = "own.npz"

const ownFormat = "collabdict own part"

// ownManifest describes a file of private parameters.
type ownManifest struct {
	Format      string `json:"format"` // "collabdict own part"
	Version     int    `json:"version"`
	Participant string `json:"participant"`
	Rows        int    `json:"rows"`    // rows fitted to; 0 means the mean of all participants' conditions
	Weights     string `json:"weights"` // SHA-256 of the weights and biases to which it belongs
	// Threshold is that of a model that scores, from the rows fitted to.
	Threshold *float64 `json:"threshold,omitempty"`
}

// weightsDigest is the SHA-256 of the shared weights.
func weightsDigest(of algorithm.Personal) string {
	var b []byte
	for _, v := range of.Shared() {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// WeightsDigest identifies the shared part of a model with private parameters. It is the same
// at all participants.
func (m *Model) WeightsDigest() string { return weightsDigest(m.Personal()) }

// scaledApart reports whether the file of private parameters holds the scaling of columns. A
// classifier's model file holds only what is shared.
func (m *Model) scaledApart() bool { return m.Classifier() != nil && m.ownScaling() }

// ownScaling reports whether each participant scales columns by its own rows.
func (m *Model) ownScaling() bool { return m.Manifest.Standardise == algorithm.Own }

// WriteOwnFile writes the participant's private parameters, its scaling if each participant has
// its own, and the threshold of its scores. Only the owner may read the file.
func WriteOwnFile(path string, m *Model) error {
	return files.Write(path, 0o600, func(w io.Writer) error { return m.WriteOwn(w) })
}

// WriteOwn writes the private parameters; see [WriteOwnFile].
func (m *Model) WriteOwn(out io.Writer) error {
	g := m.Personal()
	of := ownManifest{Format: ownFormat, Version: 1, Participant: m.Manifest.Participant, Rows: m.Manifest.Rows, Weights: weightsDigest(g)}
	if m.Classifier() == nil {
		of.Threshold = &m.Manifest.Threshold
	}
	text, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		return err
	}
	w := npz.NewWriter(out)
	if err := w.File(manifest, append(text, '\n')); err != nil {
		return err
	}
	arrays := g.OwnArrays()
	if m.ownScaling() {
		arrays = append(arrays, scalingArrays(m.Scaling)...)
	}
	if err := putArrays(w, arrays); err != nil {
		return err
	}
	return w.Close()
}

// ReadOwnFile adds a participant's private parameters to a model that was read from a file.
// [WriteOwnFile] has written them. Errors are of type *Error.
func (m *Model) ReadOwnFile(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &Error{File: path, Msg: "no such file of conditions", Hint: "training writes it as " + OwnFile + " beside model.npz, and collabdict adapt to any path"}
	}
	return readPart(path, "use the file of this model, or make one with collabdict adapt", m.ReadOwn)
}

// readPart reads a file that belongs to a model. The hint is for errors in its content.
func readPart(path, hint string, read func(r io.ReaderAt, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return &Error{File: path, Msg: err.Error()}
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = read(f, info.Size())
	}
	if err != nil {
		return &Error{File: path, Msg: err.Error(), Hint: hint}
	}
	return nil
}

// openPart opens the content of such a file, and reads its manifest.
func openPart(r io.ReaderAt, size int64, of any) (*npz.Archive, error) {
	a, err := npz.Open(r, size)
	if err != nil {
		return nil, err
	}
	text, err := a.File(manifest)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, of); err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	return a, nil
}

// ReadOwn is like [Model.ReadOwnFile], for a reader of size bytes.
func (m *Model) ReadOwn(r io.ReaderAt, size int64) error {
	g := m.Personal()
	if g == nil {
		return fmt.Errorf("want a model with conditions, got one of kind %s without", m.Manifest.Kind)
	}
	var of ownManifest
	a, err := openPart(r, size, &of)
	if err != nil {
		return err
	}
	switch {
	case of.Format != ownFormat || of.Version != 1:
		return fmt.Errorf("%s: want format %q of version 1, got %q of version %d", manifest, ownFormat, of.Format, of.Version)
	case m.Classifier() == nil && of.Threshold == nil:
		return fmt.Errorf("%s: want a threshold, got none", manifest)
	case of.Weights != weightsDigest(g):
		return fmt.Errorf("want conditions for these weights (SHA-256 %.12s), got some for others (%.12s)", weightsDigest(g), of.Weights)
	}
	scaling := m.Scaling
	if m.ownScaling() {
		if scaling, err = m.readScaling(arrays{a}); err != nil {
			return err
		}
	}
	if err := g.LoadOwn(arrays{a}); err != nil {
		return err
	}
	m.Scaling, m.Manifest.Participant, m.Manifest.Rows = scaling, of.Participant, of.Rows
	if of.Threshold != nil {
		m.Manifest.Threshold = *of.Threshold
	}
	return nil
}

// Conditions returns the participant's private parameters, which the caller may change in
// place. It returns nil for a model without them.
func (m *Model) Conditions() []float32 {
	if p := m.Personal(); p != nil {
		return p.Own()
	}
	return nil
}

// Complete reports whether the model can take rows. If each participant scales rows by its own,
// it cannot before [Model.ReadOwnFile].
func (m *Model) Complete() bool { return m.Scaling.Scale != nil }
