package oneshot

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/rows"
)

// sample holds the rows of a repeat. Participants have normal rows only.
type sample struct {
	train   *mat.Dense
	classes []float64 // classes of the rows of train
	test    *mat.Dense
	labels  []float64 // 1 for an anomaly in the rows of test, otherwise 0
}

// with adds test rows.
func (s sample) with(normal, anomalies *mat.Dense) sample {
	s.test = &mat.Dense{}
	s.test.Stack(normal, anomalies)
	n, _ := normal.Dims()
	m, _ := anomalies.Dims()
	s.labels = append(make([]float64, n), slices.Repeat([]float64{1}, m)...)
	return s
}

func takeClasses(classes []float64, rows []int) []float64 {
	out := make([]float64, len(rows))
	for to, row := range rows {
		out[to] = classes[row]
	}
	return out
}

// permuted returns rows in random order.
func permuted(random *rand.Rand, rows []int) []int {
	out := slices.Clone(rows)
	random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// toUnit scales each column of x from its own range to the range from 0 to 1.
func toUnit(x *mat.Dense) (rows.Scaling, error) {
	_, dim := x.Dims()
	low, high := make([]float64, dim), make([]float64, dim)
	for i := range dim {
		column := mat.Col(nil, i, x)
		low[i], high[i] = slices.Min(column), slices.Max(column)
	}
	return rows.FromRanges(low, high)
}

// seed returns a different seed for each purpose and repeat.
func seed(repeat int, purpose string) [32]byte {
	b := binary.BigEndian.AppendUint64([]byte("collabdict/study/oneshot/"), uint64(repeat))
	return sha256.Sum256(append(b, purpose...))
}

func source(repeat int, purpose string) *rand.Rand {
	return rand.New(rand.NewChaCha8(seed(repeat, purpose)))
}
