package gmm

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// bounds hold at every member: powers of two that each member publishes of its
// own rows, the largest over the members. By Cauchy and Schwarz they bound every
// weighted sum with weights 0 ≤ r ≤ 1: |Σ r x_i| ≤ N·rms_i and
// |Σ r x_i x_j| ≤ N·rms_i·rms_j.
type bounds struct {
	rows float64   // above N^s
	rms  []float64 // M, above the root mean square of each column
}

const (
	boundsVersion = 1
	maxRowsExp    = 40
	maxExp        = 200 // of a column's root mean square; the smallest is −maxExp
	// slack covers the rounding of sums that reach their bound.
	slack = 1 + 1e-6
)

// encodeBounds returns what a member publishes: a version byte, the exponent of
// its rows, M as four bytes and M exponents of two bytes, big endian.
func encodeBounds(x *mat.Dense) []byte {
	n, dim := x.Dims()
	_, rowsExp := math.Frexp(float64(n))
	out := binary.BigEndian.AppendUint32([]byte{boundsVersion, byte(rowsExp)}, uint32(dim))
	for i := range dim {
		sum := 0.0
		for j := range n {
			v := x.At(j, i)
			sum += float64(v * v)
		}
		exp := -maxExp
		if rms := math.Sqrt(sum / float64(n)); rms > 0 {
			_, exp = math.Frexp(rms)
		}
		out = binary.BigEndian.AppendUint16(out, uint16(int16(max(exp, -maxExp))))
	}
	return out
}

// decodeBounds is the inverse of encodeBounds for data of dim columns.
func decodeBounds(blob []byte, dim int) (bounds, error) {
	if len(blob) < 6 || blob[0] != boundsVersion {
		return bounds{}, fmt.Errorf("want bounds of version %d, got %d bytes that are not: run the same version on all members", boundsVersion, len(blob))
	}
	if got := binary.BigEndian.Uint32(blob[2:]); got != uint32(dim) {
		return bounds{}, fmt.Errorf("want %d columns as here, got %d", dim, got)
	}
	if len(blob) != 6+2*dim {
		return bounds{}, fmt.Errorf("want bounds of %d bytes, got %d", 6+2*dim, len(blob))
	}
	if blob[1] > maxRowsExp {
		return bounds{}, fmt.Errorf("want at most 2^%d rows, got 2^%d", maxRowsExp, blob[1])
	}
	b := bounds{rows: math.Ldexp(1, int(blob[1])), rms: make([]float64, dim)}
	for i := range dim {
		exp := int(int16(binary.BigEndian.Uint16(blob[6+2*i:])))
		if exp < -maxExp || exp > maxExp {
			return bounds{}, fmt.Errorf("column %d: want an exponent from %d to %d, got %d", i+1, -maxExp, maxExp, exp)
		}
		b.rms[i] = math.Ldexp(1, exp)
	}
	return b, nil
}

// widest returns the bounds that hold at all members, from their blobs.
func widest(blobs [][]byte, dim int) (bounds, error) {
	all := bounds{rms: make([]float64, dim)}
	for s, blob := range blobs {
		b, err := decodeBounds(blob, dim)
		if err != nil {
			return bounds{}, fmt.Errorf("bounds of member %d of %d: %w", s+1, len(blobs), err)
		}
		all.rows = math.Max(all.rows, b.rows)
		for i, v := range b.rms {
			all.rms[i] = math.Max(all.rms[i], v)
		}
	}
	return all, nil
}

// moments returns the blocks of packed moments about the origin with weights
// 0 ≤ r ≤ 1 for k components.
func (b bounds) moments(k int) []collabdict.Block {
	out := appendBlock(nil, k, b.rows)
	for _, v := range b.rms {
		out = appendBlock(out, k, b.rows*v)
	}
	for i, v := range b.rms {
		for _, w := range b.rms[i:] {
			out = appendBlock(out, k, b.rows*v*w)
		}
	}
	return out
}

// appendBlock appends n values within ±bound; equal neighbours become one block.
func appendBlock(to []collabdict.Block, n int, bound float64) []collabdict.Block {
	bound *= slack
	if last := len(to) - 1; last >= 0 && to[last].Bound == bound {
		to[last].Len += n
		return to
	}
	return append(to, collabdict.Block{Len: n, Bound: bound})
}

// squares bounds Σ_n ‖x_n − centre‖² (Minkowski's inequality per column).
func (b bounds) squares(centre []float64) float64 {
	sum := 0.0
	for i, c := range centre {
		v := b.rms[i] + math.Abs(c)
		sum += float64(v * v)
	}
	return b.rows * sum
}

// logLik bounds |Σ_n ln Σ_k π_k N(x_n|k)| for any weights. No density is above
// its value at the mean; and ln Σ π_k N_k ≥ Σ π_k ln N_k (Jensen), where
// Σ_n (x_n−μ)ᵀΛ(x_n−μ) ≤ N Σ_ij |Λ_ij| c_i c_j with c_i = rms_i + |μ_i|.
func (b bounds) logLik(m *Mixture) float64 {
	high, low := math.Inf(-1), math.Inf(1)
	c := make([]float64, m.Dim())
	for k, p := range m.parts {
		for i, mu := range m.means.RawRowView(k) {
			c[i] = b.rms[i] + math.Abs(mu)
		}
		quadratic := 0.0
		for i := range c {
			for j := range c {
				quadratic += math.Abs(p.precision.At(i, j)) * c[i] * c[j]
			}
		}
		high = math.Max(high, p.logNorm)
		low = math.Min(low, p.logNorm-quadratic/2)
	}
	return b.rows * (math.Max(math.Abs(high), math.Abs(low)) + 1e-6)
}
