package dem_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/dem"
	"github.com/collabdict/collabdict/netsim"
)

// Three buildings learn the density of temperature and load together: a third of all hours are
// working hours. The centres with which EM starts follow from the ranges of the columns.
func Example() {
	kinds := [][]float64{{17, 20}, {17, 20}, {22, 80}}
	network, err := netsim.New(netsim.Config{Names: netsim.Names(3), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	start := dem.Config{Form: gmm.Diag, Centres: func(context.Context, collabdict.Group) (*mat.Dense, error) {
		return dem.Spread(2, []float64{0, 0}, []float64{40, 100}, rand.NewPCG(1, 1)), nil
	}}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		rows, rng := mat.NewDense(300, 2, nil), rand.New(rand.NewPCG(uint64(rank), 1))
		rows.Apply(func(i, j int, _ float64) float64 { return kinds[i%3][j] + rng.NormFloat64() }, rows)
		l, err := dem.NewLearner(gmm.Matrix(rows), start)
		if err != nil {
			return err
		}
		if _, err := collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 50, Tol: 1e-6}); err != nil {
			return err
		}
		if m := l.Mixture(); rank == 0 {
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
