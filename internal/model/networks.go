package model

import (
	"fmt"

	"github.com/collabdict/collabdict/internal/npz"
	"github.com/collabdict/collabdict/vae/nn"
)

// matrices calls a function with every matrix and vector of some networks, and its
// elements, which may be changed in place.
type matrices func(func(s nn.Shape, values []float32))

// shapeOf returns that of an array of weights: a vector for a bias or a condition.
func shapeOf(s nn.Shape) []int {
	if s.Rows == 1 && s.Name[len(s.Name)-len("weight"):] != "weight" {
		return []int{s.Columns}
	}
	return []int{s.Rows, s.Columns}
}

// put writes the arrays.
func (each matrices) put(w *npz.Writer) error {
	var arrays []namedArray
	each(func(s nn.Shape, values []float32) {
		wide := make([]float64, len(values))
		for i, v := range values {
			wide[i] = float64(v)
		}
		arrays = append(arrays, namedArray{s.Name, shapeOf(s), wide})
	})
	return putArrays(w, "", arrays)
}

// found are arrays by name.
type found map[string][]float64

// layer reads the weights and the bias of a layer.
func (f found) layer(a *npz.Archive, network string, at, in, out int) (err error) {
	weight, bias := fmt.Sprintf("%s.%d.weight", network, at), fmt.Sprintf("%s.%d.bias", network, at)
	if f[weight], err = array(a, weight, in, out); err == nil {
		f[bias], err = array(a, bias, out)
	}
	return err
}

// fill copies what was found into networks of these shapes.
func (f found) fill(each matrices) (err error) {
	each(func(s nn.Shape, values []float32) {
		for i, v := range f[s.Name] {
			if values[i] = float32(v); values[i]-values[i] != 0 && err == nil {
				err = fmt.Errorf("%s: want finite weights in single precision, got %g", s.Name, v)
			}
		}
	})
	return err
}
