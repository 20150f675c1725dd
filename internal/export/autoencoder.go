package export

import (
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/export/onnx"
	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/vae"
)

// halfLog2Pi is ½ ln 2π.
const halfLog2Pi = 0.91893853320467274178

// autoEncoder adds the graph of a multi-task auto-encoder, and returns its description. Scores
// are means over draws that are the same for every row.
func (f *File) autoEncoder(g *onnx.Graph, c *coordinates, a multitask.Trained, rows onnx.Value) string {
	columns, latent := a.Columns(), a.Latent()
	encoder, decoder := newNetwork(g, "encoder", a.Encoder), newNetwork(g, "decoder", a.Decoder)
	x := c.trained(rows)
	v := autoEncoder{
		g: g, decoder: decoder, columns: columns,
		floor:  g.Floats("scale.floor", []float32{vae.LeastScale}),
		lowest: g.Floats("raw.lowest", []float32{multitask.LowestRaw}), highest: g.Floats("raw.highest", []float32{multitask.HighestRaw}),
	}
	mean, raw := halves(g, encoder.forward("encode", x), "latent_mean", "latent.raw", latent)
	sd := v.scale("latent_sd", raw)
	mu, sigma := v.decode("reconstruct", mean)
	c.points("reconstruction_mean", mu)
	c.deviations("reconstruction_sd", sigma)
	noise := g.Floats("draws", draws(a.Draws(), latent), a.Draws(), latent)
	v.score(x, mean, sd, noise, a.Draws())

	g.Output("latent_mean", "mean of the code of a row", onnx.Float, batch, axis(latent))
	g.Output("latent_sd", "standard deviation of the code", onnx.Float, batch, axis(latent))
	original := axis(len(c.of.Names))
	g.Output("reconstruction_mean", "mean of the row decoded from latent_mean, in the units of the data", onnx.Float, batch, original)
	g.Output("reconstruction_sd", "standard deviation of that row", onnx.Float, batch, original)
	g.Output("score", "anomaly score, in nats: minus the log density of the row in the coordinates trained on, mean over draws of its code", onnx.Float, batch)
	f.list("encoder", Own, "weights and biases of its own encoder, which no other participant has")
	f.list("decoder", All, "weights and biases of the shared decoder")
	f.list("draws", All, "%d normal vectors, the same in every file", a.Draws())
	return "Multi-task variational auto-encoder. A row whose score is above the threshold of the metadata is an anomaly."
}

type autoEncoder struct {
	g                      *onnx.Graph
	decoder                *network
	columns                int
	floor, lowest, highest onnx.Value
}

// scale maps raw outputs to standard deviations.
func (v autoEncoder) scale(name string, raw onnx.Value) onnx.Value {
	return v.g.Apply(name, onnx.Add, v.g.Apply(name+".softplus", onnx.Softplus, raw), v.floor)
}

// decode returns means and standard deviations of rows in the coordinates of training.
func (v autoEncoder) decode(prefix string, z onnx.Value) (mean, sd onnx.Value) {
	mean, raw := halves(v.g, v.decoder.forward(prefix, z), prefix+".mean", prefix+".raw", v.columns)
	return mean, v.scale(prefix+".sd", v.g.Apply(prefix+".clipped", onnx.Clip, raw, v.lowest, v.highest))
}

// score computes the score of [multitask.Scores] with other draws. It adds densities in double
// precision.
func (v autoEncoder) score(x, mean, sd, noise onnx.Value, draws int) {
	g := v.g
	z := g.Apply("draw.deviation", onnx.Mul, g.Widen("draw.sd", sd, 1), noise)
	z = g.Apply("draw", onnx.Add, g.Widen("draw.mean", mean, 1), z)
	mu, sigma := v.decode("decode", z)
	r := g.Apply("decode.difference", onnx.Sub, g.Widen("decode.row", x, 1), mu)
	r = g.Apply("decode.standard", onnx.Div, r, sigma)
	r = g.Apply("decode.square", onnx.Mul, r, r)
	r = g.Apply("decode.half", onnx.Mul, r, g.Floats("half", []float32{0.5}))
	r = g.Apply("decode.term", onnx.Add, r, g.Apply("decode.log", onnx.Log, sigma))
	r = g.Apply("decode.double", onnx.Cast(onnx.Double), r)
	r = g.Sum("score.sum", r, 1, 2)
	r = g.Apply("score.mean", onnx.Div, r, g.Doubles("draws.number", []float64{float64(draws)}))
	r = g.Apply("score.double", onnx.Add, r, g.Doubles("score.constant", []float64{float64(v.columns) * halfLog2Pi}))
	g.Apply("score", onnx.Cast(onnx.Float), r)
}

// draws returns an even number n of vectors in pairs of opposite ones, each dimension scaled to
// variance 1. In a mean over them, terms linear in the draws and terms in their squares are
// exact (antithetic variates and moment matching). All rows use the same draws, so these must
// be better than fresh draws per row.
func draws(n, dim int) []float32 {
	x := make([]float32, n*dim)
	half := x[:n/2*dim]
	vae.Normals(half, rand.NewPCG(0, 0))
	for j := range dim {
		squares := 0.0
		for i := j; i < len(half); i += dim {
			squares += float64(float64(half[i]) * float64(half[i]))
		}
		scale := math.Sqrt(float64(n/2) / squares)
		for i := j; i < len(half); i += dim {
			half[i] = float32(float64(half[i]) * scale)
			x[len(half)+i] = -half[i]
		}
	}
	return x
}
