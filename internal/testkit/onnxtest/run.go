package onnxtest

import (
	"fmt"
	"slices"
)

// Run computes all outputs. An error names the node that violates the standard.
func (m *Model) Run(inputs map[string]Tensor) (map[string]Tensor, error) {
	known := map[string]Tensor{}
	for name, t := range m.Constants {
		known[name] = t
	}
	sizes := map[string]int{}
	for _, p := range m.Inputs {
		t, ok := inputs[p.Name]
		if !ok {
			return nil, fmt.Errorf("input %s is missing", p.Name)
		}
		if err := p.check(t, sizes); err != nil {
			return nil, err
		}
		known[p.Name] = t
	}
	for _, n := range m.nodes {
		if err := n.run(known); err != nil {
			return nil, fmt.Errorf("%s %v: %w", n.op, n.out, err)
		}
	}
	outputs := map[string]Tensor{}
	for _, p := range m.Outputs {
		t, ok := known[p.Name]
		if !ok {
			return nil, fmt.Errorf("output %s is not computed", p.Name)
		}
		if err := p.check(t, sizes); err != nil {
			return nil, err
		}
		outputs[p.Name] = t
	}
	return outputs, nil
}

// check compares a tensor with its description. Axes with the same name must have the same
// length.
func (p Port) check(t Tensor, sizes map[string]int) error {
	if t.Type != p.Type || len(t.Dims) != len(p.Dims) || len(t.Values) != elements(t.Dims) {
		return fmt.Errorf("%s: want type %d and shape %v, got %d, %v and %d elements", p.Name, p.Type, p.Dims, t.Type, t.Dims, len(t.Values))
	}
	for i, d := range p.Dims {
		want, fixed := d.(int)
		if name, _ := d.(string); !fixed {
			if _, known := sizes[name]; !known {
				sizes[name] = t.Dims[i]
			}
			want = sizes[name]
		}
		if t.Dims[i] != want {
			return fmt.Errorf("%s: want shape %v, got %v", p.Name, p.Dims, t.Dims)
		}
	}
	return nil
}

func (n node) run(known map[string]Tensor) error {
	var in []Tensor
	for _, name := range n.in {
		t, ok := known[name]
		if !ok {
			return fmt.Errorf("%s is not computed yet", name)
		}
		in = append(in, t)
	}
	f, ok := operators[n.op]
	if !ok {
		return fmt.Errorf("no such operator")
	}
	if want := f.operands; len(in) != want {
		return fmt.Errorf("want %d operands, got %d", want, len(in))
	}
	outs, err := f.apply(n, in)
	if err != nil {
		return err
	}
	if len(outs) != len(n.out) {
		return fmt.Errorf("want names for %d results, got %d", len(outs), len(n.out))
	}
	for i, name := range n.out {
		if _, double := known[name]; double {
			return fmt.Errorf("%s is there twice", name)
		}
		known[name] = outs[i]
	}
	return nil
}

// axes reads a list of axes from an operand, for a tensor with the given number of axes.
func axes(t Tensor, of int) ([]int, error) {
	if t.Type != Int64 || len(t.Dims) != 1 {
		return nil, fmt.Errorf("want a vector of whole numbers for axes")
	}
	var all []int
	for _, v := range t.Values {
		axis := int(v)
		if axis < 0 {
			axis += of
		}
		if axis < 0 || axis >= of || slices.Contains(all, axis) {
			return nil, fmt.Errorf("axis %g of %d", v, of)
		}
		all = append(all, axis)
	}
	return all, nil
}
