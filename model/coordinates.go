package model

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
)

// dim returns the number of coordinates trained on.
func (m *Model) dim(columns int) (int, error) {
	of := m.Manifest.PCA
	switch {
	case of == nil:
		return columns, nil
	case of.Axes < 1 || of.Axes > columns || len(of.Variances) != of.Axes:
		return 0, fmt.Errorf("%s: pca: want 1 to %d axes, each with its variance, got %d with %d", manifest, columns, of.Axes, len(of.Variances))
	}
	return of.Axes, nil
}

// PCA describes the axes of a projection.
func PCA(p *Projection) *Axes {
	return &Axes{Axes: len(p.Variances), Variances: p.Variances, Total: p.Total}
}

// readCoordinates reads the scaling and the projection that convert rows with the given number
// of columns to the coordinates trained on.
func (m *Model) readCoordinates(a arrays, columns int) (err error) {
	if !m.scaledApart() {
		if m.Scaling, err = m.readScaling(a); err != nil {
			return err
		}
	}
	of := m.Manifest.PCA
	if of == nil {
		return nil
	}
	p := &Projection{Variances: of.Variances, Total: of.Total}
	if p.Mean, _, err = a.Values("centre", columns); err != nil {
		return err
	}
	axes, _, err := a.Values("axes", of.Axes, columns)
	if err != nil {
		return err
	}
	for _, v := range slices.Concat(p.Mean, axes) {
		if !finite(v) {
			return fmt.Errorf("centre and axes: want finite values, got %g", v)
		}
	}
	p.Axes = mat.NewDense(of.Axes, columns, axes)
	m.Projection = p
	return nil
}

func scalingArrays(s Scaling) []algorithm.Array {
	columns := []int{len(s.Scale)}
	return []algorithm.Array{{Name: "shift", Shape: columns, Values: s.Shift}, {Name: "scale", Shape: columns, Values: s.Scale}}
}

func (m *Model) readScaling(a arrays) (s Scaling, err error) {
	columns := len(m.Manifest.Columns)
	if s.Shift, _, err = a.Values("shift", columns); err != nil {
		return s, err
	}
	if s.Scale, _, err = a.Values("scale", columns); err != nil {
		return s, err
	}
	for i, v := range s.Scale {
		if !(v > 0) || math.IsInf(v, 1) || !finite(s.Shift[i]) {
			return s, fmt.Errorf("shift and scale: want finite values and a scale above 0, got %g for column %q", v, m.Manifest.Columns[i])
		}
	}
	return s, nil
}

func finite(v float64) bool { return v-v == 0 }
