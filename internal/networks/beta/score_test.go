package beta

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/vae"
)

// table is rows in float64.
type table struct {
	values  []float64
	columns int
}

func (t table) Dims() (n, m int) { return len(t.values) / t.columns, t.columns }

func (t table) ReadRows(x []float64, from int) error {
	copy(x, t.values[from*t.columns:])
	return nil
}

func tableOf(x []float32) table {
	t := table{columns: 6}
	for _, v := range x {
		t.values = append(t.values, float64(v))
	}
	return t
}

func scoresOf(t *testing.T, m *Model, x []float32) (loss, squares []float64) {
	t.Helper()
	err := m.Score(tableOf(x), func(s Scores) {
		if s.From != len(loss) {
			t.Errorf("a block from row %d, after %d", s.From, len(loss))
		}
		loss, squares = append(loss, s.Loss...), append(squares, s.Squares...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return loss, squares
}

// Scores follow their definitions, whatever other rows there are.
func TestScores(t *testing.T) {
	m := NewModel(small(Weighting{}))
	x := slices.Concat(owns(1)[2].Rows, owns(2)[2].Rows, owns(3)[2].Rows)
	loss, squares := scoresOf(t, m, x)
	if len(loss) != len(x)/6 || len(squares) != len(x) {
		t.Fatalf("got %d scores and %d squares of %d rows", len(loss), len(squares), len(x)/6)
	}
	for i := range loss {
		row := x[i*6:][:6]
		if err := m.distribute(row); err != nil {
			t.Fatal(err)
		}
		y, _ := m.Decode(m.latent.Mean)
		want := 0.0
		for j, v := range row {
			want += float64(v-y[j]) * float64(v-y[j])
		}
		for _, kl := range m.latent.KL() {
			want += m.config.Beta * kl
		}
		if math.Abs(loss[i]-want) > 1e-5 {
			t.Errorf("row %d: score %g, want %g", i, loss[i], want)
		}
		alone, parts := scoresOf(t, m, row)
		if alone[0] != loss[i] || !slices.Equal(parts, squares[i*6:][:6]) {
			t.Errorf("row %d: by itself it has another score, %g and %g", i, alone[0], loss[i])
		}
	}
}

// With many draws the estimate reaches the mean of p(x|z) over the prior. If neither network
// uses its inputs, any draw does.
func TestLogLik(t *testing.T) {
	m := NewModel(small(Weighting{}))
	x := owns(1)[0].Rows[:2*6]
	logLik := func(draws int) (values []float64) {
		if err := m.LogLik(tableOf(x), draws, func(_ int, v []float64) { values = append(values, v...) }); err != nil {
			t.Fatal(err)
		}
		return values
	}
	density := func(row, y []float32) float64 {
		return -squaresOf(nil, row, y)/m.config.Beta - 3*math.Log(math.Pi*m.config.Beta)
	}
	const draws = 100_000
	z := make([]float32, 2*draws)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range z {
		z[i] = float32(rng.NormFloat64())
	}
	y, err := m.Decode(z)
	if err != nil {
		t.Fatal(err)
	}
	y = slices.Clone(y)
	for i, got := range logLik(draws) {
		mean := 0.0
		for k := range draws {
			mean += math.Exp(density(x[i*6:][:6], y[k*6:][:6])) / draws
		}
		if want := math.Log(mean); math.Abs(got-want) > 0.01 {
			t.Errorf("row %d: got %g, want %g", i, got, want)
		}
	}
	m.all.Matrices(func(s vae.Shape, values []float32) {
		if s.Name == "decoder.0.weight" || strings.HasPrefix(s.Name, "encoder.2") {
			clear(values) // q is the prior, and the decoder does not look at z
		}
	})
	y, err = m.Decode([]float32{0, 0})
	if err != nil {
		t.Fatal(err)
	}
	y = slices.Clone(y)
	for i, got := range logLik(3) {
		if want := density(x[i*6:][:6], y); math.Abs(got-want) > 1e-5 {
			t.Errorf("row %d: got %g, want %g", i, got, want)
		}
	}
}
