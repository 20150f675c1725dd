package onnx

// Op is an operator of the standard set, with its attributes.
type Op struct {
	name       string
	attributes []attribute
}

// attribute is a whole number or a list of whole numbers.
type attribute struct {
	name   string
	values []int64
	list   bool
}

func number(name string, value int64) attribute { return attribute{name, []int64{value}, false} }

// Operators on each element, or on the elements of two tensors, which are broadcast.
var (
	Add      = Op{name: "Add"}
	Sub      = Op{name: "Sub"}
	Mul      = Op{name: "Mul"}
	Div      = Op{name: "Div"}
	Exp      = Op{name: "Exp"}
	Log      = Op{name: "Log"}
	Sqrt     = Op{name: "Sqrt"}
	Relu     = Op{name: "Relu"}
	Tanh     = Op{name: "Tanh"}
	Sigmoid  = Op{name: "Sigmoid"}
	Softplus = Op{name: "Softplus"} // ln(1 + e^x)
	Clip     = Op{name: "Clip"}     // clips a tensor to the two values that follow
)

// MatMul multiplies matrices; with more than two axes, the last two: by one matrix, or each by
// the one at the same place.
var MatMul = Op{name: "MatMul"}

// Softmax computes probabilities along the last axis.
var Softmax = Op{"Softmax", []attribute{number("axis", -1)}}

// Cast converts elements to another type.
func Cast(to Type) Op { return Op{"Cast", []attribute{number("to", int64(to))}} }

// Sum adds along axes, which are removed.
func (g *Graph) Sum(name string, v Value, axes ...int64) Value {
	return g.Apply(name, Op{"ReduceSum", []attribute{number("keepdims", 0)}}, v, g.Int64s(name+".axes", axes))
}

// Max takes the maximum along axes, which are removed.
func (g *Graph) Max(name string, v Value, axes ...int64) Value {
	return g.Apply(name, Op{"ReduceMax", []attribute{{"axes", axes, true}, number("keepdims", 0)}}, v)
}

// Widen inserts an axis of length 1.
func (g *Graph) Widen(name string, v Value, at int64) Value {
	return g.Apply(name, Op{name: "Unsqueeze"}, v, g.Int64s(name+".axes", []int64{at}))
}

// Split cuts a tensor along its last axis into parts of the given lengths.
func (g *Graph) Split(v Value, names []string, lengths []int64) []Value {
	if len(lengths) != len(names) {
		panic("onnx: want a name and a length for each part")
	}
	at := g.Int64s(string(v)+".lengths", lengths)
	return g.apply(Op{"Split", []attribute{number("axis", -1)}}, []Value{v, at}, names)
}
