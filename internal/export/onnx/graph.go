package onnx

import "fmt"

// Type is the type of a tensor's elements, by its number in TensorProto.DataType.
type Type int32

// Types of elements.
const (
	Float  Type = 1 // float32
	Int64  Type = 7
	Double Type = 11 // float64
)

// A Value names a tensor of a graph.
type Value string

// Dim is the length of an axis of an input or output. Name is set if the length is known only
// at run time, such as the number of rows; equal names mean equal lengths.
type Dim struct {
	Name   string
	Length int
}

// A Graph computes outputs from inputs. Values precede what is computed from them.
type Graph struct {
	name            string
	inputs, outputs []port
	constants       []constant
	nodes           []node
	known           map[Value]bool
}

// port is an input or output of a graph.
type port struct {
	name, doc string
	of        Type
	dims      []Dim
}

// constant is a tensor stored in the file, little-endian and row-major.
type constant struct {
	name string
	of   Type
	dims []int
	raw  []byte
}

type node struct {
	op  Op
	in  []Value
	out []string
}

// NewGraph returns a graph without inputs and outputs.
func NewGraph(name string) *Graph { return &Graph{name: name, known: map[Value]bool{}} }

// Input adds an input. doc describes it for people.
func (g *Graph) Input(name, doc string, of Type, dims ...Dim) Value {
	g.inputs = append(g.inputs, port{name, doc, of, dims})
	return g.define(name)
}

// Output makes a value an output, under its own name.
func (g *Graph) Output(v Value, doc string, of Type, dims ...Dim) {
	g.want(v)
	g.outputs = append(g.outputs, port{string(v), doc, of, dims})
}

// Apply adds an operator and names its result.
func (g *Graph) Apply(name string, op Op, in ...Value) Value {
	return g.apply(op, in, []string{name})[0]
}

func (g *Graph) apply(op Op, in []Value, names []string) (outs []Value) {
	for _, v := range in {
		g.want(v)
	}
	g.nodes = append(g.nodes, node{op, in, names})
	for _, name := range names {
		outs = append(outs, g.define(name))
	}
	return outs
}

func (g *Graph) define(name string) Value {
	v := Value(name)
	if name == "" || g.known[v] {
		panic(fmt.Sprintf("onnx: want a new name for a value, got %q", name))
	}
	g.known[v] = true
	return v
}

func (g *Graph) want(v Value) {
	if !g.known[v] {
		panic(fmt.Sprintf("onnx: want a value that is there, got %q", v))
	}
}
