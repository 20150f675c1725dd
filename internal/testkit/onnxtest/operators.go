package onnxtest

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

type operator struct {
	operands int
	apply    func(n node, in []Tensor) ([]Tensor, error)
}

var operators = map[string]operator{
	"Exp":       each(math.Exp),
	"Log":       each(math.Log),
	"Sqrt":      each(math.Sqrt),
	"Tanh":      each(math.Tanh),
	"Relu":      each(func(v float64) float64 { return math.Max(v, 0) }),
	"Sigmoid":   each(func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }),
	"Softplus":  each(func(v float64) float64 { return math.Max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }),
	"Add":       pair(func(a, b float64) float64 { return a + b }),
	"Sub":       pair(func(a, b float64) float64 { return a - b }),
	"Mul":       pair(func(a, b float64) float64 { return a * b }),
	"Div":       pair(func(a, b float64) float64 { return a / b }),
	"Cast":      {1, cast},
	"Clip":      {3, clip},
	"MatMul":    {2, product},
	"ReduceSum": {2, sum},
	"ReduceMax": {1, largest},
	"Softmax":   {1, softmax},
	"Split":     {2, split},
	"Unsqueeze": {2, widen},
}

func one(t Tensor) ([]Tensor, error) { return []Tensor{t}, nil }

func each(f func(float64) float64) operator {
	return operator{1, func(_ node, in []Tensor) ([]Tensor, error) {
		return one(of(in[0].Type, in[0].Dims, func(at int) float64 { return f(in[0].Values[at]) }))
	}}
}

func pair(f func(a, b float64) float64) operator {
	return operator{2, func(_ node, in []Tensor) ([]Tensor, error) {
		a, b := in[0], in[1]
		dims, err := spread(a.Dims, b.Dims)
		if err != nil {
			return nil, err
		}
		if a.Type != b.Type {
			return nil, fmt.Errorf("want operands of one type, got %d and %d", a.Type, b.Type)
		}
		return one(of(a.Type, dims, func(at int) float64 {
			return f(a.Values[place(a.Dims, dims, at)], b.Values[place(b.Dims, dims, at)])
		}))
	}}
}

func cast(n node, in []Tensor) ([]Tensor, error) {
	return one(of(n.attributes["to"], in[0].Dims, func(at int) float64 { return in[0].Values[at] }))
}

func clip(_ node, in []Tensor) ([]Tensor, error) {
	for _, end := range in[1:] {
		if end.Type != in[0].Type || len(end.Dims) != 0 {
			return nil, fmt.Errorf("want single numbers of the same type to clip to, got type %d and shape %v", end.Type, end.Dims)
		}
	}
	return one(of(in[0].Type, in[0].Dims, func(at int) float64 {
		return math.Max(in[1].Values[0], math.Min(in[0].Values[at], in[2].Values[0]))
	}))
}

// product multiplies the last two axes of a by a matrix b, or by matrices at the same places.
func product(_ node, in []Tensor) ([]Tensor, error) {
	a, b := in[0], in[1]
	last := len(a.Dims) - 1
	each3 := len(b.Dims) == 3 && last == 2 && a.Dims[0] == b.Dims[0]
	if a.Type != b.Type || last < 1 || len(b.Dims) != 2 && !each3 || a.Dims[last] != b.Dims[len(b.Dims)-2] {
		return nil, fmt.Errorf("product of %v and %v, of types %d and %d", a.Dims, b.Dims, a.Type, b.Type)
	}
	rows, inner, columns := a.Dims[last-1], a.Dims[last], b.Dims[len(b.Dims)-1]
	dims := append(slices.Clone(a.Dims[:last]), columns)
	return one(of(a.Type, dims, func(at int) (total float64) {
		from := 0 // start of the matrix of b
		if each3 {
			from = at / (rows * columns) * inner * columns
		}
		for k := range inner {
			total += a.Values[at/columns*inner+k] * b.Values[from+k*columns+at%columns]
		}
		return total
	}))
}

// sum adds along axes, which are removed.
func sum(n node, in []Tensor) ([]Tensor, error) {
	over, err := axes(in[1], len(in[0].Dims))
	if err != nil {
		return nil, err
	}
	return n.reduce(in[0], over, 0, func(a, b float64) float64 { return a + b })
}

// largest takes the maximum along the axes of an attribute, which are removed.
func largest(n node, in []Tensor) ([]Tensor, error) {
	list := Tensor{Type: Int64, Dims: []int{len(n.lists["axes"])}}
	for _, v := range n.lists["axes"] {
		list.Values = append(list.Values, float64(v))
	}
	over, err := axes(list, len(in[0].Dims))
	if err != nil {
		return nil, err
	}
	return n.reduce(in[0], over, math.Inf(-1), math.Max)
}

// reduce combines values along axes.
func (n node) reduce(t Tensor, over []int, first float64, f func(a, b float64) float64) ([]Tensor, error) {
	if keep, there := n.attributes["keepdims"]; keep != 0 || !there {
		return nil, errors.New("want a reduction that does not keep axes")
	}
	with := slices.Clone(t.Dims)
	var dims []int
	for i := range with {
		if slices.Contains(over, i) {
			with[i] = 1
		} else {
			dims = append(dims, with[i])
		}
	}
	out := Tensor{Type: t.Type, Dims: dims, Values: slices.Repeat([]float64{first}, elements(dims))}
	for at, v := range t.Values {
		to := place(with, t.Dims, at)
		out.Values[to] = f(out.Values[to], v)
	}
	return one(of(out.Type, dims, func(at int) float64 { return out.Values[at] }))
}

func softmax(n node, in []Tensor) ([]Tensor, error) {
	if n.attributes["axis"] != -1 {
		return nil, fmt.Errorf("want the last axis")
	}
	t := in[0]
	columns := t.Dims[len(t.Dims)-1]
	return one(of(t.Type, t.Dims, func(at int) float64 {
		row, total := t.Values[at/columns*columns:][:columns], 0.0
		for _, v := range row {
			total += math.Exp(v - t.Values[at])
		}
		return 1 / total
	}))
}

func split(n node, in []Tensor) (outs []Tensor, err error) {
	t, lengths := in[0], in[1].Values
	if n.attributes["axis"] != -1 || in[1].Type != Int64 {
		return nil, fmt.Errorf("want lengths along the last axis")
	}
	columns, from := t.Dims[len(t.Dims)-1], 0
	for _, v := range lengths {
		n := int(v)
		dims := append(slices.Clone(t.Dims[:len(t.Dims)-1]), n)
		outs = append(outs, of(t.Type, dims, func(at int) float64 { return t.Values[at/n*columns+from+at%n] }))
		from += n
	}
	if from != columns {
		return nil, fmt.Errorf("want parts of %d together, got %v", columns, lengths)
	}
	return outs, nil
}

func widen(_ node, in []Tensor) ([]Tensor, error) {
	at, err := axes(in[1], len(in[0].Dims)+1)
	if err != nil {
		return nil, err
	}
	if len(at) != 1 {
		return nil, fmt.Errorf("want one axis, got %d", len(at))
	}
	t := in[0]
	t.Dims = slices.Insert(slices.Clone(t.Dims), at[0], 1)
	return one(t)
}
