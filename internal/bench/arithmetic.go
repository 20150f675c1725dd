package bench

import (
	"context"
	"math"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// Arithmetic holds the rates of an arithmetic on one core, in 10^9 bytes of vector
// a second.
type Arithmetic struct {
	Name string  `json:"arithmetic"`
	Mask float64 `json:"mask_gb_per_second"` // a mask is expanded and added
	Add  float64 `json:"add_gb_per_second"`  // a vector is added that is in memory
}

// How often and how long a piece of work is repeated. The best run is the one that
// nothing else on the machine has held up.
const (
	runsLeast = 10
	runsMost  = 200 * time.Millisecond
)

// measureArithmetics measures all arithmetics, that of the ring first.
func measureArithmetics(ctx context.Context, size, values int) (all []Arithmetic, err error) {
	for _, a := range []chunking.Arithmetic{chunking.Ring, chunking.Ring128, chunking.Field, chunking.Float} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := measureArithmetic(a, size, values)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func measureArithmetic(a chunking.Arithmetic, size, values int) (r Arithmetic, err error) {
	layout, err := chunking.NewLayout(a, size, []collabdict.Block{{Len: values, Bound: 1}})
	if err != nil {
		return r, err
	}
	mask := chunking.Mask{Purpose: chunking.ForChunk, Seed: [chunking.SeedSize]byte{1}}
	units, other := make([]uint64, layout.Words()), make([]uint64, layout.Words())
	layout.AddMask(other, mask)
	r.Name = string(a)
	r.Mask = rate(len(units), func() { layout.AddMask(units, mask) })
	r.Add = rate(len(units), func() { layout.Add(units, other) })
	return r, nil
}

// rate returns how many 10^9 bytes per second the best of several calls went through,
// of a vector of so many words.
func rate(words int, f func()) float64 {
	best := time.Duration(math.MaxInt64)
	for run, began := 0, time.Now(); run < runsLeast || time.Since(began) < runsMost; run++ {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return float64(8*words) / 1e9 / max(best, 1).Seconds()
}
