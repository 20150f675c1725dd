package export

import (
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict/internal/export/onnx"
	"github.com/collabdict/collabdict/internal/testkit/onnxtest"
	"github.com/collabdict/collabdict/vae"
)

// The graph of a network with every kind of layer computes the network's own outputs, without
// dropout and with its present conditions.
func TestNetworkOfAllLayers(t *testing.T) {
	layers := []vae.Layer{
		{Units: 5},
		{Units: 6, Activation: vae.ReLU},
		{Units: 4, Activation: vae.Tanh, Dropout: 0.5},
		{Units: 5, Activation: vae.Gated},
		{Units: 7, Activation: vae.Sigmoid},
		{Units: 3, Activation: vae.Softplus},
	}
	n := vae.New("net", 4, layers...)
	vae.Join(vae.New("other", 2, vae.Layer{Units: 3, Activation: vae.Gated}), n)
	src := rand.NewPCG(1, 2)
	n.Initialise(src)
	vae.Normals(n.Private.Values, src)
	x := make([]float32, 8*4)
	vae.Normals(x, src)
	want, err := n.Forward(x, nil)
	if err != nil {
		t.Fatal(err)
	}

	g := onnx.NewGraph("net")
	out := newNetwork(g, "net", n).forward("way", g.Input("rows", "", onnx.Float, batch, axis(4)))
	g.Output(out, "", onnx.Float, batch, axis(3))
	got, err := decoded(t, onnx.Model{Graph: g}.Encode()).Run(map[string]onnxtest.Tensor{"rows": onnxtest.Floats(x, 8, 4)})
	if err != nil {
		t.Fatal(err)
	}
	if e := distance(got[string(out)], onnxtest.Floats(want, 8, 3)); !(e <= 1e-5) {
		t.Errorf("got an error of %.2g, want at most 1e-5", e)
	}
}
