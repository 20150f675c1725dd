package simulate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	inrows "github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

// apart returns members with rows of patterns that hardly overlap. Each member has rows of all
// patterns.
func apart(members, rows, columns, patterns int, seed uint64) []dataset.Participant {
	parts := plants.Generate(plants.Spec{Participants: members, Rows: rows, Columns: columns, Patterns: 1, TestRows: 2}, seed)
	rng := rand.New(rand.NewPCG(seed, 77))
	centres := mat.NewDense(patterns, columns, nil)
	for k := range patterns {
		for i := range columns {
			centres.Set(k, i, 5*rng.NormFloat64())
		}
	}
	for m := range parts {
		x := mat.NewDense(rows, columns, nil)
		for j := range rows {
			k, other, share := rng.IntN(patterns), 0, 0.0
			if rng.Float64() < 0.02 {
				other, share = rng.IntN(patterns), 0.3+0.4*rng.Float64()
			}
			for i := range columns {
				x.Set(j, i, (1-share)*centres.At(k, i)+share*centres.At(other, i)+rng.NormFloat64())
			}
		}
		parts[m].Train, parts[m].Test = inrows.InMemory(x), nil
	}
	return parts
}

// If patterns are well apart, a row that moves between two of them causes nearly all of the
// change in a total. Blurred totals reveal no such row, and the model is as good.
func TestBlurHidesRows(t *testing.T) {
	testkit.LongOnly(t)
	testkit.SkipRaced(t)
	n := seeds(t, 2)
	t.Logf("members, rows, columns, patterns  blur  rows read  by chance  runs  loglik")
	for _, shape := range [][4]int{{5, 200, 6, 5}, {5, 50, 6, 5}, {14, 200, 38, 10}} {
		var read, chance [2]int
		var loglik [2]float64
		for seed := range n {
			parts := apart(shape[0], shape[1], shape[2], shape[3], seed)
			for i, blur := range []string{"blur=0", "blur=" + fmt.Sprint(privacy.BlurRows)} {
				k := pipelinetest.Task(t, "ggm", fmt.Sprintf("components=%d", shape[3]), "lambda=0.03", "rounds=60", "tol=0", fmt.Sprintf("seed=%d", seed), "consensus.scheme=exact", blur)
				run, err := SimulateUnder(t.Context(), Conditions{Adversary: Adversary{Differencing: true}}, k, parts, nil)
				if err != nil {
					t.Fatal(err)
				}
				d := run.Report.Protection.Differencing
				read[i] += d.Rows
				chance[i] += d.Chance
				loglik[i] += run.Report.Loglik.Value / float64(n)
			}
		}
		for i, blur := range []float64{0, privacy.BlurRows} {
			t.Logf("%-32v %5g %10d %10d %5d %7.4f", shape, blur, read[i], chance[i], n, loglik[i])
		}
		if read[0] < int(n) {
			t.Errorf("%v: without blur %d rows are read in %d runs: nothing is tested", shape, read[0], n)
		}
		if read[1] > chance[1] {
			t.Errorf("%v: %d rows are read, %d by chance", shape, read[1], chance[1])
		}
		if n >= 10 && loglik[1] < loglik[0]-0.005 {
			t.Errorf("%v: the mean log-likelihood is %.4f, and %.4f without blur", shape, loglik[1], loglik[0])
		}
	}
}
