package logistic_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/examples/logistic"
	"github.com/collabdict/collabdict/netsim"
)

// Learning together gives the same result as learning from all rows in one place.
func TestTogetherAsInOnePlace(t *testing.T) {
	const size = 3
	pooled := &logistic.Learner{X: mat.NewDense(size*80, 3, nil), MostRows: size * 100}
	parts := make([]*logistic.Learner, size)
	for i := range parts {
		x, y := rowsOf(i)
		parts[i] = &logistic.Learner{X: x, Y: y, MostRows: 100}
		pooled.X.Slice(80*i, 80*(i+1), 0, 3).(*mat.Dense).Copy(x)
		pooled.Y = append(pooled.Y, y...)
	}
	o := collabdict.Options{Rounds: 20, Tol: 1e-9}
	last, err := collabdict.Train(t.Context(), collabdict.Solo{}, pooled, o)
	if err != nil || !last.Converged {
		t.Fatal(last, err)
	}
	network, err := netsim.New(netsim.Config{Names: netsim.Names(size), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = network.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		_, err := collabdict.Train(ctx, g, parts[rank], o)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank, l := range parts {
		for j, w := range l.W {
			if math.Abs(w-pooled.W[j]) > 1e-6 || w != parts[0].W[j] {
				t.Errorf("member %d: w%d is %g, of all rows %g", rank, j+1, w, pooled.W[j])
			}
		}
	}
}
