package multitask

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// matrix is a source of rows in memory.
type matrix struct{ *mat.Dense }

func (m matrix) ReadRows(x []float64, from int) error {
	_, columns := m.Dims()
	copy(x, m.RawMatrix().Data[from*columns:][:len(x)])
	return nil
}

// train runs a learner for each data set in lock step, and returns the learners and the
// objectives of the rounds.
func train(t testing.TB, config Config, rounds int, data ...Rows) ([]*Learner, []float64) {
	t.Helper()
	learners, traces := make([]*Learner, len(data)), make([][]float64, len(data))
	err := lockstep.Run(t.Context(), len(data), func(ctx context.Context, g collabdict.Group, s int) (err error) {
		if learners[s], err = NewLearner(data[s], config, uint64(s)); err != nil {
			return err
		}
		_, err = collabdict.Train(ctx, g, learners[s], collabdict.Options{
			Rounds:  rounds,
			OnRound: func(r collabdict.Round) { traces[s] = append(traces[s], r.Objective) },
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for s, trace := range traces {
		for i, v := range trace {
			if v != traces[0][i] {
				t.Fatalf("round %d: participant %d has objective %g, the first %g", i+1, s, v, traces[0][i])
			}
		}
		sameDecoder(t, learners[s], learners[0])
	}
	return learners, traces[0]
}

func sameDecoder(t testing.TB, a, b *Learner) {
	t.Helper()
	if !bits(a.model.Decoder.Shared.Values, b.model.Decoder.Shared.Values) {
		t.Fatal("participants hold different decoders")
	}
}

func bits(a, b []float32) bool {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// furthest returns the largest difference of two vectors.
func furthest(a, b []float32) float64 {
	most := 0.0
	for i := range a {
		most = math.Max(most, math.Abs(float64(a[i])-float64(b[i])))
	}
	return most
}

// patterns draws n rows in dim variables around a curve with one parameter. Each participant
// mostly sees another part of the curve.
func patterns(n, dim int, which uint64) matrix {
	rng := rand.New(rand.NewPCG(which, 77))
	x := mat.NewDense(n, dim, nil)
	for j := range n {
		at := 1.5*rng.NormFloat64() + 0.5*float64(which)
		for i := range dim {
			x.Set(j, i, math.Sin(at+float64(i))+0.4*at*math.Cos(float64(2*i))+0.1*rng.NormFloat64())
		}
	}
	return matrix{x}
}
