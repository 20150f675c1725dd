package networks

import (
	"fmt"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/vae"
)

// Matrices calls a function with every matrix and vector of some networks. Their elements may
// be changed in place.
type Matrices func(func(s vae.Shape, values []float32))

// Arrays returns the arrays that store networks. A bias or a condition is a vector.
func Arrays(each Matrices) (list []algorithm.Array) {
	each(func(s vae.Shape, values []float32) {
		wide := make([]float64, len(values))
		for i, v := range values {
			wide[i] = float64(v)
		}
		shape := []int{s.Rows, s.Columns}
		if s.Rows == 1 && s.Name[len(s.Name)-len("weight"):] != "weight" {
			shape = []int{s.Columns}
		}
		list = append(list, algorithm.Array{Name: s.Name, Shape: shape, Values: wide})
	})
	return list
}

// Found holds arrays of the right shapes by name. Networks are created only after all their arrays
// have been found, so no memory is allocated for arrays that a file lacks.
type Found map[string][]float64

// Chain finds the weights and biases of a chain of layers and checks their sizes. Hidden units
// have the given number of weight columns: 2 if they are gated, those of the tanh before those
// of the sigmoid.
func (f Found) Chain(from algorithm.Arrays, network string, in int, hidden []int, columns, out int) error {
	for i, units := range hidden {
		if err := f.layer(from, network, i, in, columns*units); err != nil {
			return err
		}
		in = units
	}
	return f.layer(from, network, len(hidden), in, out)
}

func (f Found) layer(from algorithm.Arrays, network string, at, in, out int) error {
	if err := f.Find(from, fmt.Sprintf("%s.%d.weight", network, at), in, out); err != nil {
		return err
	}
	return f.Find(from, fmt.Sprintf("%s.%d.bias", network, at), out)
}

// Find finds one array.
func (f Found) Find(from algorithm.Arrays, name string, shape ...int) (err error) {
	f[name], _, err = from.Values(name, shape...)
	return err
}

// Fill copies the found arrays into networks of these shapes. After an error the networks are
// unchanged.
func (f Found) Fill(each Matrices) (err error) {
	each(func(s vae.Shape, _ []float32) {
		for _, v := range f[s.Name] {
			if single := float32(v); single-single != 0 && err == nil {
				err = fmt.Errorf("%s: want finite weights in single precision, got %g", s.Name, v)
			}
		}
	})
	if err != nil {
		return err
	}
	each(func(s vae.Shape, values []float32) {
		for i, v := range f[s.Name] {
			values[i] = float32(v)
		}
	})
	return nil
}

// LoadOwn fills conditions from arrays. After an error the conditions are unchanged.
func LoadOwn(from algorithm.Arrays, conditions *vae.Parameters) error {
	read := Found{}
	for _, s := range conditions.Shapes {
		if err := read.Find(from, s.Name, s.Columns); err != nil {
			return err
		}
	}
	return read.Fill(conditions.Matrices)
}
