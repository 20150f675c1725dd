package vae

import (
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
)

// uniform returns one of 2^24 numbers from 0 to below 1.
func uniform(src rand.Source) float32 { return float32(src.Uint64()>>40) * 0x1p-24 }

// Normals fills x with independent standard normal values, by the polar method of
// Marsaglia and Bray (1964).
func Normals(x []float32, src rand.Source) {
	for i := 0; i < len(x); i += 2 {
		u, v := normalPair(src)
		x[i] = u
		if i+1 < len(x) {
			x[i+1] = v
		}
	}
}

// NormalsOf fills x with standard normal values that depend only on the values of a row. So
// results computed with them depend neither on other rows nor on the row's position.
func NormalsOf(x, row []float32) {
	hash := uint64(0xcbf29ce484222325) // FNV-1a, by words
	for _, v := range row {
		hash = (hash ^ uint64(math.Float32bits(v))) * 0x100000001b3
	}
	Normals(x, rand.NewPCG(hash, hash))
}

func normalPair(src rand.Source) (x, y float32) {
	for {
		u, v := 2*uniform(src)-1, 2*uniform(src)-1
		s := float32(u*u) + float32(v*v)
		if s >= 1 || s == 0 {
			continue
		}
		f := float32(math.Sqrt(float64(-2 * elementwise.LogOf(s) / s)))
		return u * f, v * f
	}
}

// Batches divides row numbers into mini-batches. In an epoch, each row is in one batch.
type Batches struct {
	order []int
	size  int
	next  int
	rng   *rand.Rand
}

// NewBatches returns mini-batches of size rows; the last of an epoch may have fewer. Each epoch
// draws a new order from the source. It panics if rows or size is less than 1.
func NewBatches(rows, size int, src rand.Source) *Batches {
	if rows < 1 || size < 1 {
		panic("vae: batches of no rows")
	}
	b := &Batches{order: make([]int, rows), size: size, next: rows, rng: rand.New(src)}
	for i := range b.order {
		b.order[i] = i
	}
	return b
}

// Next returns the rows of the next batch, valid until the next call, and whether it is the
// first batch of an epoch.
func (b *Batches) Next() (rows []int, first bool) {
	first = b.next == len(b.order)
	if first {
		b.next = 0
		b.rng.Shuffle(len(b.order), func(i, j int) { b.order[i], b.order[j] = b.order[j], b.order[i] })
	}
	end := min(b.next+b.size, len(b.order))
	rows = b.order[b.next:end]
	b.next = end
	return rows, first
}

// Gather copies rows of x, with the given number of columns, to dst. It returns dst, enlarged
// if needed.
func Gather(dst, x []float32, columns int, rows []int) []float32 {
	dst = room(dst, len(rows)*columns)
	for i, r := range rows {
		copy(dst[i*columns:][:columns], x[r*columns:])
	}
	return dst
}
