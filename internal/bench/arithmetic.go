package bench

import (
	"context"
	"math"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// Arithmetic holds the rates of an arithmetic on one core, in 10^9 bytes of vector per second.
type Arithmetic struct {
	Name string  `json:"arithmetic"`         // its name
	Mask float64 `json:"mask_gb_per_second"` // rate of expanding and adding a mask
	Add  float64 `json:"add_gb_per_second"`  // rate of adding a vector in memory
}

// How often and how long a piece of work is repeated. The best run is the one least disturbed
// by other programs.
const (
	runsLeast = 10
	runsMost  = 200 * time.Millisecond
)

// measureArithmetics measures all arithmetics, the ring first.
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

// rate returns the best rate of several calls of f, in 10^9 bytes of vector per second. A call
// handles a vector of the given number of words.
func rate(words int, f func()) float64 {
	best := time.Duration(math.MaxInt64)
	for run, began := 0, time.Now(); run < runsLeast || time.Since(began) < runsMost; run++ {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return float64(8*words) / 1e9 / max(best, 1).Seconds()
}
