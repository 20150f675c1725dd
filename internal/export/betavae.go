package export

import (
	"github.com/collabdict/collabdict/internal/export/onnx"
	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/vae"
)

// betaVAE adds the graph of a β-VAE, and returns its description.
func (f *File) betaVAE(g *onnx.Graph, c *coordinates, b beta.Trained, rows onnx.Value) string {
	latent := b.Latent()
	e, d := b.Networks()
	encoder, decoder := newNetwork(g, "encoder", e), newNetwork(g, "decoder", d)
	x := c.trained(rows)
	mean, raw := halves(g, encoder.forward("encode", x), "latent_mean", "latent.raw", latent)
	log := g.Apply("latent.log", onnx.Clip, raw, g.Floats("log.lowest", []float32{vae.LowestLog}), g.Floats("log.highest", []float32{vae.HighestLog}))
	sd := g.Apply("latent_sd", onnx.Exp, log)
	y := decoder.forward("reconstruct", mean)
	c.points("reconstruction_mean", y)
	loss(g, b, x, y, mean, sd, log)

	g.Output("latent_mean", "mean of the code of a row", onnx.Float, batch, axis(latent))
	g.Output("latent_sd", "standard deviation of the code", onnx.Float, batch, axis(latent))
	g.Output("reconstruction_mean", "the row decoded from latent_mean, in the units of the data", onnx.Float, batch, axis(len(c.of.Names)))
	g.Output("score", "anomaly score: squared error of that row in the coordinates trained on, and beta times the divergence of the code from the prior", onnx.Float, batch)
	f.adapted("encoder, decoder", b.Conditions().Values)
	if nobodys(b.Conditions().Values) {
		return "Beta-VAE, without the conditions of anyone."
	}
	return "Beta-VAE. A row whose score is above the threshold of the metadata is an anomaly."
}

// loss is the score of [beta.Scores], in double precision.
func loss(g *onnx.Graph, b beta.Trained, x, y, mean, sd, log onnx.Value) {
	double := func(name string, v onnx.Value) onnx.Value { return g.Apply(name, onnx.Cast(onnx.Double), v) }
	r := g.Apply("loss.error", onnx.Sub, double("loss.row", x), double("loss.decoded", y))
	squares := g.Sum("loss.squares", g.Apply("loss.square", onnx.Mul, r, r), 1)

	m, s := double("loss.mean", mean), double("loss.sd", sd)
	sum := g.Apply("loss.second", onnx.Add, g.Apply("loss.mean.square", onnx.Mul, m, m), g.Apply("loss.sd.square", onnx.Mul, s, s))
	sum = g.Apply("loss.excess", onnx.Sub, sum, g.Doubles("one", []float64{1}))
	sum = g.Apply("loss.half", onnx.Mul, sum, g.Doubles("half", []float64{0.5}))
	divergence := g.Sum("loss.divergence", g.Apply("loss.kl", onnx.Sub, sum, double("loss.log", log)), 1)
	weighted := g.Apply("loss.weighted", onnx.Mul, divergence, g.Doubles("beta", []float64{b.Config().Beta}))
	g.Apply("score", onnx.Cast(onnx.Float), g.Apply("loss", onnx.Add, squares, weighted))
}
