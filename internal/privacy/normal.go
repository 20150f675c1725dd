package privacy

import (
	"math"
	"math/big"
	"math/rand/v2"
)

// normal is an exact standard normal number, ±(whole + part). It draws only the digits that are
// needed for a decision.
type normal struct {
	negative bool
	whole    uint64
	part     *fraction
}

// drawNormal is algorithm N of Karney (Sampling exactly from the normal distribution, ACM
// Transactions on Mathematical Software 42, 2016). With independent fair bits, its density at k
// + x is the product of the acceptance probabilities of the steps,
//
//	exp(−k/2) · exp(−k(k−1)/2) · exp(−x(2k+x)/2) = exp(−(k+x)²/2),
//
// without any rounding.
func drawNormal(src rand.Source) normal {
	for {
		k := uint64(0)
		for rootOfE(src) {
			k++
		}
		n := normal{whole: k, part: &fraction{src: src}}
		if all(k*(k-1), func() bool { return rootOfE(src) }) && all(k+1, func() bool { return n.part.accepted(k) }) {
			n.negative = src.Uint64()>>63 == 1
			return n
		}
	}
}

// all reports whether the given number of trials all succeed; it stops at the first failure.
func all(trials uint64, trial func() bool) bool {
	for ; trials > 0; trials-- {
		if !trial() {
			return false
		}
	}
	return true
}

// rootOfE returns true with probability exp(−1/2). That is the probability that a falling sequence
// of uniform numbers below 1/2 has even length (von Neumann 1951).
func rootOfE(src rand.Source) bool {
	last := &fraction{src: src}
	if last.word(0) >= 1<<63 {
		return true
	}
	for even := false; ; even = !even {
		next := &fraction{src: src}
		if !next.below(last) {
			return even
		}
		last = next
	}
}

// accepted returns true with probability exp(−x(2k+x)/(2k+2)) for the fraction x. As in rootOfE,
// that is the probability of an even length. Here the sequence starts below x, and each number
// counts only with probability (2k+x)/(2k+2).
func (x *fraction) accepted(k uint64) bool {
	last := x
	for even := true; ; even = !even {
		next := &fraction{src: x.src}
		if !next.below(last) {
			return even
		}
		switch which := uniform(x.src, 2*k+2); {
		case which == 2*k+1:
			return even
		case which == 2*k && !(&fraction{src: x.src}).below(x):
			return even
		}
		last = next
	}
}

// uniform returns a number below n, with all equally likely.
func uniform(src rand.Source, n uint64) uint64 {
	for {
		if v := src.Uint64(); v < math.MaxUint64-math.MaxUint64%n {
			return v % n
		}
	}
}

// fraction is a uniform real number from 0 to 1, or, if of is not 0, the number rest/of. Its
// digits of 64 bits are drawn when they are needed.
type fraction struct {
	src      rand.Source
	words    []uint64
	rest, of uint64
}

func (x *fraction) word(i int) uint64 {
	for len(x.words) <= i {
		var word uint64
		if x.of != 0 {
			word, x.rest = digits(x.rest, x.of)
		} else {
			word = x.src.Uint64()
		}
		x.words = append(x.words, word)
	}
	return x.words[i]
}

func (x *fraction) below(y *fraction) bool {
	for i := 0; ; i++ {
		if a, b := x.word(i), y.word(i); a != b {
			return a < b
		}
	}
}

// nearest returns the integer nearest to at + scale·n, exactly: it draws digits until they
// decide.
func (n normal) nearest(at, scale float64) int64 {
	q, qe := dyadic(at)
	s, se := dyadic(scale)
	z := new(big.Int).SetUint64(n.whole)
	for words := 0; ; {
		z.Lsh(z, 64).Add(z, new(big.Int).SetUint64(n.part.word(words)))
		words++
		// in units of 2^e; n is between a and a + width
		e := min(se-64*words, qe, -1)
		width := new(big.Int).Lsh(s, uint(se-64*words-e))
		a := new(big.Int).Mul(z, width)
		if n.negative {
			a.Neg(a.Add(a, width))
		}
		a.Add(a, new(big.Int).Lsh(q, uint(qe-e))).Add(a, new(big.Int).Lsh(big.NewInt(1), uint(-e-1)))
		b := new(big.Int).Add(a, width)
		b.Sub(b, big.NewInt(1))
		if a.Rsh(a, uint(-e)).Cmp(b.Rsh(b, uint(-e))) == 0 {
			return a.Int64()
		}
	}
}

// dyadic returns v as m·2^e.
func dyadic(v float64) (m *big.Int, e int) {
	f, e := math.Frexp(v)
	return big.NewInt(int64(f * (1 << 53))), e - 53
}
