package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// The operations below have the order of those in the package's elementary.go, which documents
// the numbers.
const (
	log2E   = 1.44269504088896341
	ln2High = 0.693359375
	ln2Low  = -2.12194440e-4
	magic   = 0x1.8p23

	rootHalf   = 0x3f3504f3
	small      = 0.625
	negligible = 0x1p-58
	vanished   = 0x1p-100
)

var (
	powers = []float32{
		1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
	}
	odds       = []float32{2. / 17, 2. / 15, 2. / 13, 2. / 11, 2. / 9, 2. / 7, 2. / 5, 2. / 3}
	hyperbolic = []float32{-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1}
)

func (s *isa) exp(x vec) vec {
	v := s.smaller(s.of(s.constant(88)), x)
	n := s.plus(s.times(v, s.constant(log2E)), s.constant(magic))
	whole := s.minus(n, s.constant(magic))
	r := s.minus(v, s.times(whole, s.constant(ln2High)))
	r = s.minus(r, s.times(whole, s.constant(ln2Low)))
	p := s.polynomial(r, powers)
	p = s.plus(s.times(s.times(p, r), r), r)
	p = s.plus(p, s.constant(1))
	p = s.integers(VPADDD, s.integers(VPSLLD, U8(23), n), p)
	return s.choose(notAtLeast, x, s.constant(-87), s.larger(s.zero(), x), p)
}

func (s *isa) logRatio(x vec) vec {
	z := s.times(x, x)
	return s.plus(s.times(s.times(s.polynomial(z, odds), z), x), s.plus(x, x))
}

func (s *isa) log(x vec) vec {
	e := s.integers(VPSRAD, U8(23), s.integers(VPSUBD, s.bits(rootHalf), x))
	f := s.integers(VPSUBD, s.integers(VPSLLD, U8(23), e), x)
	n := s.floats(e)
	q := s.over(s.minus(f, s.constant(1)), s.plus(f, s.constant(1)))
	y := s.plus(s.logRatio(q), s.times(n, s.constant(ln2Low)))
	y = s.plus(s.times(n, s.constant(ln2High)), y)
	y = s.choose(notAtLeast, x, s.constant(0x1p-126), s.of(s.bits(0x7fc00000)), y)
	return s.choose(greater, x, s.constant(math.MaxFloat32), x, y)
}

func (s *isa) tanh(x vec) vec {
	z := s.times(x, x)
	low := s.plus(s.times(s.times(s.polynomial(z, hyperbolic), z), x), x)
	v := s.abs(x)
	e := s.exp(s.times(v, s.constant(-2)))
	one := s.of(s.constant(1))
	y := s.over(s.minus(one, e), s.plus(one, e))
	y = s.or(y, s.and(x, s.bits(1<<31)))
	return s.choose(less, v, s.constant(small), low, y)
}

// expOfSize returns e^−|x|.
func (s *isa) expOfSize(x vec) vec { return s.exp(s.or(x, s.bits(1<<31))) }

func (s *isa) sigmoid(x vec) vec {
	e := s.expOfSize(x)
	by := s.plus(e, s.constant(1))
	return s.over(s.choose(less, x, s.zero(), e, s.of(s.constant(1))), by)
}

func (s *isa) softplus(x vec) vec {
	e := s.expOfSize(x)
	y := s.logRatio(s.over(e, s.plus(e, s.constant(2))))
	return s.plus(y, s.positive(x))
}

func (s *isa) positive(x vec) vec { return s.larger(s.zero(), x) }

// rest returns 1 − x.
func (s *isa) rest(x vec) vec { return s.minus(s.of(s.constant(1)), x) }
