// Asm writes the assembly of package elementwise; go generate in that package runs it. The
// generators are a separate module, so that avo is no dependency of the program.
package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa holds the differences between the two instruction sets. An iteration covers 16 elements:
// one vector of AVX-512, two of AVX2.
type isa struct {
	name, title string
	size        int // bytes per vector
	vector      func() reg.VecVirtual
	tail        reg.Register // selects the remaining elements of a vector
}

type vec = reg.VecVirtual

// kernel is a function of elements. Its parameters are pointers to inputs, pointers to outputs,
// and numbers. Body receives the input vectors and the numbers, and returns the output vectors.
// If the kernel sums, the last vector returned is added to the chains.
type kernel struct {
	name          string
	reads, writes string
	numbers       string
	sums          bool
	body          func(s *isa, in ...vec) []vec
}

func main() {
	ConstraintExpr("!noasm")
	masks := GLOBL("masks", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(uint64(i/4)-1))
	}
	for _, s := range []*isa{
		{name: "AVX512", title: "AVX-512", size: 64, vector: ZMM},
		{name: "AVX2", title: "AVX2", size: 32, vector: YMM},
	} {
		for _, k := range all() {
			s.kernel(k, masks)
		}
	}
	Generate()
}

func (s *isa) kernel(k kernel, masks Mem) {
	reads, writes, numbers := strings.Fields(k.reads), strings.Fields(k.writes), strings.Fields(k.numbers)
	pointers := append([]string{}, reads...)
	for _, w := range writes {
		if !strings.Contains(" "+k.reads+" ", " "+w+" ") {
			pointers = append(pointers, w)
		}
	}
	signature := "func(n int, " + strings.Join(pointers, ", ") + " *float32"
	if len(numbers) > 0 {
		signature += ", " + strings.Join(numbers, ", ") + " float32"
	}
	signature += ")"
	if k.sums {
		signature += " float32"
	}
	TEXT(k.name+s.name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(fmt.Sprintf("%s%s is kernels.%s, with %s.", k.name, s.name, k.name, s.title))

	n, at := load("n"), map[string]reg.GPVirtual{}
	for _, p := range pointers {
		at[p] = load(p)
	}
	var scalars, chains []vec
	for _, name := range numbers {
		scalars = append(scalars, s.broadcast(name))
	}
	for range 64 / s.size {
		if k.sums {
			chains = append(chains, s.zero())
		}
	}
	// half works on one vector; only elements that the tail selects count.
	half := func(h int, whole bool) {
		var in []vec
		for _, p := range reads {
			v := s.vector()
			s.load(Mem{Base: at[p], Disp: s.size * h}, v, whole)
			in = append(in, v)
		}
		out := k.body(s, append(in, scalars...)...)
		for i, p := range writes {
			s.store(out[i], Mem{Base: at[p], Disp: s.size * h}, whole)
		}
		if k.sums {
			addend := out[len(writes)]
			if !whole {
				s.select0(addend)
			}
			VADDPS(addend, chains[h], chains[h])
		}
	}
	Label("round")
	CMPQ(n, U8(16))
	JL(LabelRef("rest"))
	for h := range 64 / s.size {
		half(h, true)
	}
	for _, p := range pointers {
		ADDQ(U8(64), at[p])
	}
	SUBQ(U8(16), n)
	JMP(LabelRef("round"))
	Label("rest")
	for h := range 64 / s.size {
		TESTQ(n, n)
		JE(LabelRef("done"))
		s.selectTail(n, masks)
		half(h, false)
		if h == 0 && s.size == 32 { // remaining elements of the second half
			SUBQ(U8(8), n)
			JLE(LabelRef("done"))
		}
	}
	Label("done")
	if k.sums {
		s.sum(chains)
	}
	VZEROUPPER()
	RET()
}

// load returns a parameter in a register.
func load(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

func (s *isa) broadcast(name string) vec {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := s.vector()
	VBROADCASTSS(p.Addr, v)
	return v
}

func (s *isa) zero() vec {
	v := s.vector()
	VXORPS(v, v, v)
	return v
}

// selectTail selects the first n elements of a vector, or all if it has no more.
func (s *isa) selectTail(n reg.GPVirtual, masks Mem) {
	if s.size == 64 {
		ones, k := GP64(), K()
		MOVQ(n, reg.RCX)
		MOVQ(U64(1), ones)
		SHLQ(reg.CL, ones)
		DECQ(ones)
		KMOVW(ones.As32(), k)
		s.tail = k
		return
	}
	from, count, most, v := GP64(), GP64(), GP64(), YMM()
	MOVQ(n, count)
	MOVQ(U64(8), most)
	CMPQ(count, most)
	CMOVQGT(most, count)
	LEAQ(masks.Offset(32), from)
	SHLQ(U8(2), count)
	SUBQ(count, from)
	VMOVDQU(Mem{Base: from}, v)
	s.tail = v
}

func (s *isa) load(from Mem, v vec, whole bool) {
	switch {
	case whole:
		VMOVUPS(from, v)
	case s.size == 64:
		VMOVUPS_Z(from, s.tail, v)
	default:
		VMASKMOVPS(from, s.tail, v)
	}
}

func (s *isa) store(v vec, to Mem, whole bool) {
	switch {
	case whole:
		VMOVUPS(v, to)
	case s.size == 64:
		VMOVUPS(v, s.tail, to)
	default:
		VMASKMOVPS(v, s.tail, to)
	}
}

// select0 sets elements that the tail does not select to 0.
func (s *isa) select0(v vec) {
	if s.size == 64 {
		VMOVUPS_Z(v, s.tail, v)
	} else {
		VANDPS(s.tail.(vec), v, v)
	}
}

// sum returns the sum of 16 chains, added by halves.
func (s *isa) sum(chains []vec) {
	low, high := YMM(), YMM()
	if s.size == 64 {
		VEXTRACTF64X4(U8(1), chains[0], high)
		VADDPS(high, chains[0].AsY(), low)
	} else {
		VADDPS(chains[1], chains[0], low)
	}
	x, y := XMM(), XMM()
	VEXTRACTF128(U8(1), low, y)
	VADDPS(y, low.AsX(), x)
	VPERMILPD(U8(1), x, y)
	VADDPS(y, x, x)
	VMOVSHDUP(x, y)
	VADDSS(y, x, x)
	Store(x, ReturnIndex(0))
}
