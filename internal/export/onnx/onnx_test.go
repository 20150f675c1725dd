package onnx_test

import (
	"encoding/hex"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/export/onnx"
	"github.com/collabdict/collabdict/internal/testkit/onnxtest"
)

// Every operator has the result that the standard gives it.
func TestOperators(t *testing.T) {
	rows := []float32{1, -2, 0.5, 3, 0, -1} // 2 by 3
	type build func(g *onnx.Graph, x onnx.Value) onnx.Value
	unary := func(op onnx.Op) build {
		return func(g *onnx.Graph, x onnx.Value) onnx.Value { return g.Apply("y", op, x) }
	}
	row := func(op onnx.Op) build {
		return func(g *onnx.Graph, x onnx.Value) onnx.Value {
			return g.Apply("y", op, x, g.Floats("row", []float32{2, 4, 8}, 3))
		}
	}
	e := math.E
	for name, test := range map[string]struct {
		build build
		dims  []int
		want  []float64
	}{
		"add":      {row(onnx.Add), []int{2, 3}, []float64{3, 2, 8.5, 5, 4, 7}},
		"subtract": {row(onnx.Sub), []int{2, 3}, []float64{-1, -6, -7.5, 1, -4, -9}},
		"multiply": {row(onnx.Mul), []int{2, 3}, []float64{2, -8, 4, 6, 0, -8}},
		"divide":   {row(onnx.Div), []int{2, 3}, []float64{0.5, -0.5, 0.0625, 1.5, 0, -0.125}},
		"exp":      {unary(onnx.Exp), []int{2, 3}, []float64{e, 1 / (e * e), math.Sqrt(e), e * e * e, 1, 1 / e}},
		"relu":     {unary(onnx.Relu), []int{2, 3}, []float64{1, 0, 0.5, 3, 0, 0}},
		"tanh":     {unary(onnx.Tanh), []int{2, 3}, []float64{0.761594156, -0.96402758, 0.462117157, 0.995054754, 0, -0.761594156}},
		"sigmoid":  {unary(onnx.Sigmoid), []int{2, 3}, []float64{0.731058579, 0.119202922, 0.622459331, 0.952574127, 0.5, 0.268941421}},
		"softplus": {unary(onnx.Softplus), []int{2, 3}, []float64{1.313261688, 0.126928011, 0.974076984, 3.048587352, math.Ln2, 0.313261688}},
		"softmax":  {unary(onnx.Softmax), []int{2, 3}, []float64{0.6037489, 0.0300589, 0.3661922, 0.9362395, 0.0466126, 0.0171478}},
		"clip": {func(g *onnx.Graph, x onnx.Value) onnx.Value {
			return g.Apply("y", onnx.Clip, x, g.Floats("least", []float32{-1}), g.Floats("greatest", []float32{1}))
		}, []int{2, 3}, []float64{1, -1, 0.5, 1, 0, -1}},
		"log and root": {func(g *onnx.Graph, x onnx.Value) onnx.Value {
			return g.Apply("y", onnx.Log, g.Apply("root", onnx.Sqrt, g.Apply("square", onnx.Mul, g.Apply("exp", onnx.Exp, x), g.Apply("again", onnx.Exp, x))))
		}, []int{2, 3}, []float64{1, -2, 0.5, 3, 0, -1}},
		"product": {func(g *onnx.Graph, x onnx.Value) onnx.Value {
			return g.Apply("y", onnx.MatMul, x, g.Floats("matrix", []float32{1, 2, 3, 4, 5, 6}, 3, 2))
		}, []int{2, 2}, []float64{-2.5, -3, -2, 0}},
		"sum": {func(g *onnx.Graph, x onnx.Value) onnx.Value { return g.Sum("y", x, 1) }, []int{2}, []float64{-0.5, 2}},
		"sum of a product with a new axis": {func(g *onnx.Graph, x onnx.Value) onnx.Value {
			return g.Sum("y", g.Apply("pairs", onnx.Mul, g.Widen("left", x, 1), g.Widen("right", x, 0)), 1, 2)
		}, []int{2}, []float64{7.75, 12.5}},
		"largest": {func(g *onnx.Graph, x onnx.Value) onnx.Value { return g.Max("y", x, 0) }, []int{3}, []float64{3, 0, 0.5}},
		"products place by place": {func(g *onnx.Graph, x onnx.Value) onnx.Value {
			both := g.Apply("both", onnx.Mul, g.Widen("again", x, 0), g.Floats("signs", []float32{1, -1}, 2, 1, 1))
			return g.Apply("y", onnx.MatMul, both, g.Floats("matrices", []float32{1, 2, 3, 1, 0, 1}, 2, 3, 1))
		}, []int{2, 2, 1}, []float64{-1.5, 0, -1.5, -2}},
		"second part": {func(g *onnx.Graph, x onnx.Value) onnx.Value {
			return g.Split(x, []string{"first", "y"}, []int64{1, 2})[1]
		}, []int{2, 2}, []float64{-2, 0.5, 0, -1}},
		"doubles": {func(g *onnx.Graph, x onnx.Value) onnx.Value {
			x = g.Apply("wide", onnx.Cast(onnx.Double), x)
			x = g.Apply("sum", onnx.Add, x, g.Doubles("third", []float64{1.0 / 3}))
			x = g.Apply("difference", onnx.Sub, x, g.Doubles("same", []float64{1.0 / 3}))
			return g.Apply("y", onnx.Cast(onnx.Float), x)
		}, []int{2, 3}, []float64{1, -2, 0.5, 3, 0, -1}},
	} {
		g := onnx.NewGraph("test")
		var dims []onnx.Dim
		for _, d := range test.dims {
			dims = append(dims, onnx.Dim{Length: d})
		}
		g.Output(test.build(g, g.Input("x", "", onnx.Float, onnx.Dim{Name: "rows"}, onnx.Dim{Length: 3})), "", onnx.Float, dims...)
		m, err := onnxtest.Decode(onnx.Model{Graph: g}.Encode())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out, err := m.Run(map[string]onnxtest.Tensor{"x": onnxtest.Floats(rows, 2, 3)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, want := range test.want {
			if got := out["y"].Values; len(got) != len(test.want) || math.Abs(got[i]-want) > 1e-6*math.Max(1, math.Abs(want)) {
				t.Errorf("%s: got %v, want %v", name, got, test.want)
				break
			}
		}
	}
}

// A small file, byte for byte as onnx.proto has it.
func TestEncode(t *testing.T) {
	g := onnx.NewGraph("g")
	x := g.Input("x", "d", onnx.Float, onnx.Dim{Name: "n"}, onnx.Dim{Length: 2})
	g.Output(g.Apply("y", onnx.Cast(onnx.Double), x), "", onnx.Double, onnx.Dim{Name: "n"}, onnx.Dim{Length: 2})
	g.Floats("c", []float32{1}, 1)
	got := hex.EncodeToString(onnx.Model{Graph: g, Producer: "p", Doc: "e", Properties: []onnx.Property{{Key: "k", Value: "v"}}}.Encode())
	want := strings.Join([]string{
		"0807", "120170", "320165", // IR version, producer, documentation
		"3a5f",                                                                                     // graph
		"0a1a", "0a0178", "120179", "1a0179", "220443617374", "2a09", "0a02746f", "180b", "a00102", // node Cast: x, y, to = 11
		"120167",                                         // name
		"2a0d", "0801", "1001", "420163", "4a040000803f", // constant c
		"5a17", "0a0178", "120f", "0a0d", "0801", "1209", "0a03", "12016e", "0a02", "0802", "1a0164", // input
		"6216", "0a0179", "120f", "0a0d", "080b", "1209", "0a03", "12016e", "0a02", "0802", "1a00", // output
		"4202", "100d", // operator set 13
		"7206", "0a016b", "120176",
	}, "")
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// A graph that is built wrong panics with the reason.
func TestWrongGraphs(t *testing.T) {
	for want, build := range map[string]func(g *onnx.Graph){
		`want a value that is there, got "z"`:               func(g *onnx.Graph) { g.Apply("y", onnx.Relu, "z") },
		`want a new name for a value, got "x"`:              func(g *onnx.Graph) { g.Apply("x", onnx.Relu, "x") },
		`constant c of 2 values, want the 6 of shape [2 3]`: func(g *onnx.Graph) { g.Floats("c", make([]float32, 2), 2, 3) },
		`want a name and a length for each part`:            func(g *onnx.Graph) { g.Split("x", []string{"a"}, []int64{1, 2}) },
		`want a value that is there, got "nothing"`:         func(g *onnx.Graph) { g.Output("nothing", "", onnx.Float) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); got != "onnx: "+want {
					t.Errorf("got %q, want %q", got, want)
				}
			}()
			g := onnx.NewGraph("test")
			g.Input("x", "", onnx.Float, onnx.Dim{Length: 3})
			build(g)
		}()
	}
}

// Bytes that are no model are an error, and so is a model that computes with types or shapes
// that the standard does not allow.
func TestModelsThatDoNotRun(t *testing.T) {
	if _, err := onnxtest.Decode([]byte{0x3a, 0x05, 0x01}); err == nil {
		t.Error("half a message is read")
	}
	x := map[string]onnxtest.Tensor{"x": onnxtest.Floats([]float32{1, 2}, 1, 2)}
	for want, build := range map[string]func(g *onnx.Graph, x onnx.Value) onnx.Value{
		"want operands of one type": func(g *onnx.Graph, x onnx.Value) onnx.Value {
			return g.Apply("y", onnx.Add, x, g.Doubles("d", []float64{1}))
		},
		"do not fit together": func(g *onnx.Graph, x onnx.Value) onnx.Value {
			return g.Apply("y", onnx.Add, x, g.Floats("three", make([]float32, 3), 3))
		},
		"product of": func(g *onnx.Graph, x onnx.Value) onnx.Value {
			return g.Apply("y", onnx.MatMul, x, g.Floats("matrix", make([]float32, 9), 3, 3))
		},
		"want type 1 and shape [n 2], got 1, [2]": func(g *onnx.Graph, x onnx.Value) onnx.Value { return g.Sum("y", x, 0) },
	} {
		g := onnx.NewGraph("test")
		dims := []onnx.Dim{{Name: "n"}, {Length: 2}}
		g.Output(build(g, g.Input("x", "", onnx.Float, dims...)), "", onnx.Float, dims...)
		m, err := onnxtest.Decode(onnx.Model{Graph: g}.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m.Inputs[0].Dims, []any{"n", 2}) {
			t.Errorf("got input of shape %v", m.Inputs[0].Dims)
		}
		if _, err := m.Run(x); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
