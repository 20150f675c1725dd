package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// table repeats each constant eight times, so that it can be loaded as a vector. Exp is
// Taylor's series, whose remainder is below 1e-17 where |r| ≤ ½ ln 2; log has the coefficients
// of FreeBSD's e_log.c.
var (
	table Mem
	index = map[string]int{}
)

var taylor = func() (c [14]float64) { // 1/n!, as in the Go code
	f := 1.0
	for n := range c {
		if n > 1 {
			f *= float64(n)
		}
		c[n] = 1 / f
	}
	return c
}()

var logs = [...]float64{
	6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
	1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01,
}

var constants = map[string]uint64{
	"minus half": math.Float64bits(-0.5),
	"log2 e":     math.Float64bits(1.44269504088896338700e+00),
	"ln2 high":   math.Float64bits(6.93147180369123816490e-01),
	"ln2 low":    math.Float64bits(1.90821492927058770002e-10),
	"magic":      math.Float64bits(0x1.8p52),
	"negligible": math.Float64bits(-600),
	"minus most": math.Float64bits(-math.MaxFloat64),
	"minus inf":  math.Float64bits(math.Inf(-1)),
	"inf":        math.Float64bits(math.Inf(1)),
	"one":        math.Float64bits(1),
	"two":        math.Float64bits(2),
	"half":       math.Float64bits(0.5),
	"root half":  0x3fe6a09e667f3bcd,
	"2^52":       math.Float64bits(0x1p52),
}

// constant returns a vector, in a register if it is kept, otherwise in memory.
func (s *isa) constant(name string) Op {
	if v, ok := s.kept[name]; ok {
		return v
	}
	bits, ok := constants[name]
	if !ok {
		panic("no constant " + name)
	}
	if len(index) == 0 {
		table = GLOBL("constants", RODATA|NOPTR)
	}
	at, ok := index[name]
	if !ok {
		at = 64 * len(index)
		index[name] = at
		for i := range 8 {
			DATA(at+8*i, U64(bits))
		}
	}
	return table.Offset(at)
}

// keep loads the constants of exp into registers, if there are enough.
func (s *isa) keep() {
	if s.size < 64 {
		return
	}
	kept := map[string]Op{}
	for _, name := range exponential {
		v := s.vector()
		VMOVUPD(s.constant(name), v)
		kept[name] = v
	}
	s.kept = kept
}

var exponential = []string{"magic", "log2 e", "ln2 high", "ln2 low", "one", "negligible"}

func init() {
	for i, v := range taylor {
		constants[factorial(i)] = math.Float64bits(v)
		if i > 1 {
			exponential = append(exponential, factorial(i))
		}
	}
	for i, v := range logs {
		constants[fmt.Sprintf("log %d", i)] = math.Float64bits(v)
	}
}

func factorial(i int) string { return fmt.Sprintf("1/%d!", i) }
