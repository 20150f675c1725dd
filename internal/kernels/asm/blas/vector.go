package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chains is the number of partial sums of a dot product, whatever the width of a vector.
const chains = 32

// vectorISA is an instruction set for the kernels on vectors.
type vectorISA struct {
	name, title string
	lanes       int
	vector      func() reg.VecVirtual

	mask   reg.Register // prepared by tail
	memory Mem
}

// vectors writes the kernels for vectors.
func vectors() {
	for _, s := range []*vectorISA{
		{name: "AVX512", title: "AVX-512", lanes: 8, vector: ZMM},
		{name: "AVX2", title: "AVX2 and FMA", lanes: 4, vector: YMM},
	} {
		s.dot()
		s.axpy()
	}
}

// tail prepares for the last n%lanes elements.
func (s *vectorISA) tail(n reg.GPVirtual) {
	count := GP64()
	MOVQ(n, count)
	ANDQ(U8(uint8(s.lanes-1)), count)
	if s.lanes == 8 {
		ones, k := GP64(), K()
		MOVQ(count, reg.RCX)
		MOVQ(U64(1), ones)
		SHLQ(reg.CL, ones)
		DECQ(ones)
		KMOVW(ones.As32(), k)
		s.mask = k
		return
	}
	at, v := GP64(), YMM()
	LEAQ(masks.Offset(32), at)
	SHLQ(U8(3), count)
	SUBQ(count, at)
	VMOVDQU(Mem{Base: at}, v)
	s.mask = v
}

func (s *vectorISA) load(memory Mem, v reg.VecVirtual) {
	if s.lanes == 8 {
		VMOVUPD_Z(memory, s.mask, v)
	} else {
		VMASKMOVPD(memory, s.mask, v)
	}
}

func (s *vectorISA) store(v reg.VecVirtual, memory Mem) {
	if s.lanes == 8 {
		VMOVUPD(v, s.mask, memory)
	} else {
		VMASKMOVPD(v, s.mask, memory)
	}
}

// dot writes a dotter: chain l sums the elements l, l+32, l+64, ...
func (s *vectorISA) dot() {
	name := "dot" + s.name
	TEXT(name, NOSPLIT, "func(n int, x, y *float64) float64")
	Pragma("noescape")
	Doc(name + " is [dotter] with " + s.title + ".")
	n, x, y := load("n"), load("x"), load("y")
	sums := make([]reg.VecVirtual, chains/s.lanes)
	for i := range sums {
		sums[i] = s.vector()
		VXORPD(sums[i], sums[i], sums[i])
	}
	v, w := s.vector(), s.vector()
	Label(name + "_loop")
	CMPQ(n, U32(chains))
	JL(LabelRef(name + "_rest"))
	for i, sum := range sums {
		VMOVUPD(Mem{Base: x, Disp: 8 * s.lanes * i}, v)
		VFMADD231PD(Mem{Base: y, Disp: 8 * s.lanes * i}, v, sum)
	}
	ADDQ(U32(8*chains), x)
	ADDQ(U32(8*chains), y)
	SUBQ(U32(chains), n)
	JMP(LabelRef(name + "_loop"))
	Label(name + "_rest")
	s.tail(n)
	part := func(i int) string { return fmt.Sprintf("%s_part%d", name, i) }
	for i, sum := range sums[:len(sums)-1] {
		CMPQ(n, U32(uint32(s.lanes*(i+1))))
		JL(LabelRef(part(i)))
		VMOVUPD(Mem{Base: x, Disp: 8 * s.lanes * i}, v)
		VFMADD231PD(Mem{Base: y, Disp: 8 * s.lanes * i}, v, sum)
	}
	for i := len(sums) - 1; i >= 0; i-- {
		Label(part(i))
		s.load(Mem{Base: x, Disp: 8 * s.lanes * i}, v)
		s.load(Mem{Base: y, Disp: 8 * s.lanes * i}, w)
		VFMADD231PD(w, v, sums[i])
		if i > 0 {
			JMP(LabelRef(name + "_sum"))
		}
	}
	Label(name + "_sum")
	s.sum(sums)
}

// sum returns the sum of all lanes, in the order that [dotter] documents.
func (s *vectorISA) sum(sums []reg.VecVirtual) {
	quarter := len(sums) / 4 // vectors of 8 lanes
	for i := range quarter {
		VADDPD(sums[i+quarter], sums[i], sums[i])
		VADDPD(sums[i+3*quarter], sums[i+2*quarter], sums[i+2*quarter])
		VADDPD(sums[i+2*quarter], sums[i], sums[i])
	}
	low, high := YMM(), YMM()
	if s.lanes == 8 {
		VEXTRACTF64X4(U8(1), sums[0], high)
		VADDPD(high, sums[0].AsY(), low)
	} else {
		VADDPD(sums[1], sums[0], low)
	}
	x, y := XMM(), XMM()
	VEXTRACTF128(U8(1), low, y)
	VADDPD(y, low.AsX(), x)
	VPERMILPD(U8(1), x, y)
	VADDSD(y, x, x)
	VXORPD(y, y, y)
	VADDSD(y, x, x)
	Store(x, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// axpy writes an axpyer.
func (s *vectorISA) axpy() {
	name := "axpy" + s.name
	TEXT(name, NOSPLIT, "func(n int, alpha float64, x, y *float64)")
	Pragma("noescape")
	Doc(name + " is [axpyer] with " + s.title + ".")
	n, x, y := load("n"), load("x"), load("y")
	alpha := s.vector()
	parameter, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(parameter.Addr, alpha)
	s.tail(n)
	const unroll = 4
	run := func(label string, vectors int) {
		Label(name + "_" + label)
		CMPQ(n, U32(uint32(vectors*s.lanes)))
		JL(LabelRef(name + "_" + label + "_done"))
		for i := range vectors {
			v := s.vector()
			VMOVUPD(Mem{Base: y, Disp: 8 * s.lanes * i}, v)
			VFMADD231PD(Mem{Base: x, Disp: 8 * s.lanes * i}, alpha, v)
			VMOVUPD(v, Mem{Base: y, Disp: 8 * s.lanes * i})
		}
		ADDQ(U32(uint32(8*s.lanes*vectors)), x)
		ADDQ(U32(uint32(8*s.lanes*vectors)), y)
		SUBQ(U32(uint32(s.lanes*vectors)), n)
		JMP(LabelRef(name + "_" + label))
		Label(name + "_" + label + "_done")
	}
	run("four", unroll)
	run("one", 1)
	v, w := s.vector(), s.vector()
	s.load(Mem{Base: x}, v)
	s.load(Mem{Base: y}, w)
	VFMADD231PD(alpha, v, w)
	s.store(w, Mem{Base: y})
	VZEROUPPER()
	RET()
}
