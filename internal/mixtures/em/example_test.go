package em_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/netsim"
)

// Three plants learn which variables depend on each other: flow follows pressure, and the
// temperature is independent of both. A precision of 0 means that two variables do not depend
// on each other.
func Example_sparse() {
	network, err := netsim.New(netsim.Config{Names: netsim.Names(3), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		rows, rng := mat.NewDense(200, 3, nil), rand.New(rand.NewPCG(uint64(rank), 1))
		for i := range 200 {
			pressure := rng.NormFloat64()
			rows.SetRow(i, []float64{pressure, 0.8*pressure + 0.6*rng.NormFloat64(), rng.NormFloat64()})
		}
		l, err := em.NewLearner(gmm.Matrix(rows), em.Config{Components: 1, Seed: 1})
		if err != nil {
			return err
		}
		if _, err := collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 50, Tol: 1e-6}); err != nil {
			return err
		}
		if rank == 0 {
			fmt.Printf("of %d rows:\n%.1f\n", l.TotalRows(), mat.Formatted(l.Model().Precision(0)))
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// of 600 rows:
	// ⎡ 1.9  -1.3   0.0⎤
	// ⎢-1.3   1.7   0.0⎥
	// ⎣ 0.0   0.0   1.0⎦
}

// Three buildings learn the density of temperature and load together: a third of all hours are
// working hours. The centres with which EM starts follow from the ranges of the columns.
func Example_plain() {
	kinds := [][]float64{{17, 20}, {17, 20}, {22, 80}}
	network, err := netsim.New(netsim.Config{Names: netsim.Names(3), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	start := em.Config{Plain: &em.Plain{Form: gmm.Diag, Centres: func(context.Context, collabdict.Group) (*mat.Dense, error) {
		return em.Spread(2, []float64{0, 0}, []float64{40, 100}, rand.NewPCG(1, 1)), nil
	}}}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		rows, rng := mat.NewDense(300, 2, nil), rand.New(rand.NewPCG(uint64(rank), 1))
		rows.Apply(func(i, j int, _ float64) float64 { return kinds[i%3][j] + rng.NormFloat64() }, rows)
		l, err := em.NewLearner(gmm.Matrix(rows), start)
		if err != nil {
			return err
		}
		if _, err := collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 50, Tol: 1e-6}); err != nil {
			return err
		}
		if m := l.Model(); rank == 0 {
			fmt.Printf("of %d rows, weights %.2f:\n%.0f\n", l.TotalRows(), m.Weights(), mat.Formatted(m.Means()))
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// of 900 rows, weights [0.67 0.33]:
	// ⎡17  20⎤
	// ⎣22  80⎦
}
