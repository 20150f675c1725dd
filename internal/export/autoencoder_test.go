package export

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/internal/testkit/onnxtest"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/vae"
)

// knownAutoEncoder returns a file of an mtvae model, with rows and the model's outputs for them.
// The draws of codes are an input: the model's own draws for each row.
func knownAutoEncoder(t *testing.T, columns, axes int) known {
	m := autoEncoderOf(columns, axes)
	single, x := rowsOf(m, 20)
	mean, sd, rows, deviations := reconstructed(t, m, mat.DenseCopyOf(x))
	a := m.Learned.(multitask.Trained)
	z := m.Trained(x)
	scores, err := m.Scores(z)
	if err != nil {
		t.Fatal(err)
	}
	file, err := onnxtest.Free(exported(t, m).Bytes, "draws", "batch", "draws", "latent")
	if err != nil {
		t.Fatal(err)
	}
	return known{
		file: file,
		in: map[string]onnxtest.Tensor{
			"rows":  onnxtest.Floats(single, 20, columns),
			"draws": onnxtest.Floats(drawn(z, a.Draws(), a.Latent()), 20, a.Draws(), a.Latent()),
		},
		out: map[string]onnxtest.Tensor{
			"latent_mean": tensor(mean, 20, a.Latent()), "latent_sd": tensor(sd, 20, a.Latent()),
			"reconstruction_mean": tensor(rows, 20, columns), "reconstruction_sd": tensor(deviations, 20, columns),
			"score": tensor(scores, 20),
		},
	}
}

// reconstructed computes outputs by the networks themselves, in the units of the data.
func reconstructed(t *testing.T, m *model.Model, x *mat.Dense) (mean, sd []float32, rows, deviations []float64) {
	t.Helper()
	a := m.Learned.(multitask.Trained)
	forward := func(n *vae.Network, x []float32) []float32 {
		y, err := n.Forward(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	q, p := vae.NewGaussian(a.Latent(), vae.SoftplusScale), vae.NewGaussian(a.Columns(), vae.SoftplusScale)
	q.Set(forward(a.Encoder, singles(m.Trained(x))))
	y := forward(a.Decoder, q.Mean)
	for i := range y {
		if i/a.Columns()%2 == 1 {
			y[i] = max(multitask.LowestRaw, min(y[i], multitask.HighestRaw))
		}
	}
	p.Set(y)
	for i := range p.Rows() {
		z, s := mat.NewDense(1, a.Columns(), nil), make([]float64, a.Columns())
		for j := range a.Columns() {
			z.Set(0, j, float64(p.Mean[i*a.Columns()+j]))
			s[j] = float64(p.Scale[i*a.Columns()+j])
		}
		point := m.InUnits(z)
		rows = append(rows, point.RawRowView(0)...)
		for j := range m.Manifest.Columns {
			deviations = append(deviations, alongAxes(m, z, s, point, j))
		}
	}
	return q.Mean, q.Scale, rows, deviations
}

// The file's draws have mean 0 and variance 1.
func TestDraws(t *testing.T) {
	const n, dim = 100, 3
	x := draws(n, dim)
	for j := range dim {
		sum, squares := 0.0, 0.0
		for i := range n {
			v := float64(x[i*dim+j])
			sum += v
			squares += v * v
		}
		if sum != 0 || math.Abs(squares/n-1) > 1e-6 {
			t.Errorf("dimension %d: got mean %g and variance %g", j+1, sum/n, squares/n)
		}
	}
}

// alongAxes returns the standard deviation of a column, given the deviations s of the coordinates
// trained on. It moves each coordinate by its deviation and measures how far the column moves.
func alongAxes(m *model.Model, z *mat.Dense, s []float64, point *mat.Dense, column int) float64 {
	variance := 0.0
	for a, v := range s {
		moved := mat.DenseCopyOf(z)
		moved.Set(0, a, z.At(0, a)+v)
		d := m.InUnits(moved).At(0, column) - point.At(0, column)
		variance += d * d
	}
	return math.Sqrt(variance)
}

func singles(x *mat.Dense) (out []float32) {
	for _, v := range x.RawMatrix().Data {
		out = append(out, float32(v))
	}
	return out
}

// drawn returns the noise of a [multitask.Scorer].
func drawn(z *mat.Dense, draws, latent int) []float32 {
	n, columns := z.Dims()
	x, noise := singles(z), make([]float32, n*draws*latent)
	for i := range n {
		vae.NormalsOf(noise[i*draws*latent:][:draws*latent], x[i*columns:][:columns])
	}
	return noise
}
