package gmm

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Parameters holds the parameters of a mixture with full precision matrices.
type Parameters struct {
	Means      *mat.Dense      // K by M
	Precisions []*mat.SymDense // K matrices of M by M, positive definite
	Weights    []float64       // K values, at least 0, with a sum of 1
}

// Validate returns an error for the first shape or value that is impossible for a mixture.
func (p *Parameters) Validate() error {
	if p.Means == nil {
		return fmt.Errorf("means: want K by M values, got none")
	}
	_, err := p.Mixture()
	return err
}

// Mixture returns the mixture with these parameters.
func (p *Parameters) Mixture() (*Mixture, error) {
	return NewMixture(p.Weights, p.Means, p.Precisions)
}

// ReadParameters reads a JSON object with `means` (K by M), `precisions` (K by M by M, or K by
// M diagonals) and `weights` (K). If they are not the parameters of a mixture, the error names
// the field.
func ReadParameters(r io.Reader) (*Parameters, error) {
	var file struct {
		Means      [][]float64       `json:"means"`
		Precisions []json.RawMessage `json:"precisions"`
		Weights    []float64         `json:"weights"`
	}
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("parameters: want a JSON object of means, precisions and weights: %w", err)
	}
	k := len(file.Means)
	if k == 0 || len(file.Means[0]) == 0 {
		return nil, fmt.Errorf("means: want K by M values, got none")
	}
	if len(file.Precisions) != k {
		return nil, fmt.Errorf("precisions: want %d matrices, one per mean, got %d", k, len(file.Precisions))
	}
	means, err := denseOf(file.Means, len(file.Means[0]))
	if err != nil {
		return nil, fmt.Errorf("means: %w", err)
	}
	p := &Parameters{Means: means, Weights: file.Weights}
	for i, values := range file.Precisions {
		s, err := precisionOf(values, len(file.Means[0]))
		if err != nil {
			return nil, fmt.Errorf("precisions: component %d: %w", i+1, err)
		}
		p.Precisions = append(p.Precisions, s)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}

func denseOf(rows [][]float64, cols int) (*mat.Dense, error) {
	out := mat.NewDense(len(rows), cols, nil)
	for i, r := range rows {
		if len(r) != cols {
			return nil, fmt.Errorf("want %d values in row %d, got %d", cols, i+1, len(r))
		}
		out.SetRow(i, r)
	}
	return out, nil
}

// precisionOf reads an m by m matrix, or the m values of its diagonal.
func precisionOf(values []byte, m int) (*mat.SymDense, error) {
	var diagonal []float64
	if json.Unmarshal(values, &diagonal) != nil {
		var rows [][]float64
		if err := json.Unmarshal(values, &rows); err != nil {
			return nil, fmt.Errorf("want the %d rows of a matrix, or the %[1]d values of its diagonal: %w", m, err)
		}
		return symmetricOf(rows, m)
	}
	if len(diagonal) != m {
		return nil, fmt.Errorf("want %d values of a diagonal, got %d", m, len(diagonal))
	}
	s := mat.NewSymDense(m, nil)
	for i, v := range diagonal {
		s.SetSym(i, i, v)
	}
	return s, nil
}

func symmetricOf(rows [][]float64, m int) (*mat.SymDense, error) {
	if len(rows) != m {
		return nil, fmt.Errorf("want %d rows, got %d", m, len(rows))
	}
	d, err := denseOf(rows, m)
	if err != nil {
		return nil, err
	}
	s := mat.NewSymDense(m, nil)
	for i := range m {
		for j := i; j < m; j++ {
			a, b := d.At(i, j), d.At(j, i)
			if math.Abs(a-b) > 1e-9*(math.Abs(a)+math.Abs(b)) {
				return nil, fmt.Errorf("want a symmetric matrix, got %g in row %d, column %d, and %g in its mirror image", a, i+1, j+1, b)
			}
			s.SetSym(i, j, a)
		}
	}
	return s, nil
}
