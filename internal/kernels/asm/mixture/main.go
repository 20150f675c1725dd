// Asm writes the assembly of package mixture; go generate in that package runs it. The
// generators are a separate module, so that avo is no dependency of the program.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa holds the differences between the two instruction sets. A panel is 8 rows; each element
// of a vector holds the same variable of another row.
type isa struct {
	name, title string
	size        int // bytes per vector
	vector      func() reg.VecVirtual
	units       int // vectors of rows whose densities are computed at a time
	panels      int // that are these
	height      int // height of the tiles of a scatter matrix
	width       int
	halves      int           // vectors per panel
	kept        map[string]Op // constants in registers
}

func main() {
	ConstraintExpr("!noasm")
	turn()
	for _, s := range []*isa{
		{name: "AVX512", title: "AVX-512", size: 64, vector: ZMM, units: 4, panels: 4, height: 6, width: 4, halves: 1},
		{name: "AVX2", title: "AVX2 and FMA", size: 32, vector: YMM, units: 2, panels: 1, height: 4, width: 3, halves: 2},
	} {
		s.density()
		s.diagonal()
		s.normalise()
		s.highest()
		s.entropy()
		s.centre()
		s.scatter()
		s.spread()
	}
	Generate()
}

func (s *isa) text(name, signature string, doc ...string) {
	TEXT(name+s.name, NOSPLIT, signature)
	s.kept = nil
	Pragma("noescape")
	doc[0] = name + s.name + " is " + doc[0] + ", with " + s.title + "."
	Doc(doc...)
}

// load returns a parameter in a register. Function bytes returns one that counts elements,
// converted to bytes.
func load(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

func bytes(name string) reg.GPVirtual {
	r := load(name)
	SHLQ(U8(3), r)
	return r
}

// address returns the address of a parameter.
func address(name string) Op {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

func (s *isa) zero() reg.VecVirtual {
	v := s.vector()
	VXORPD(v, v, v)
	return v
}

// broadcast returns a vector that repeats one number.
func (s *isa) broadcast(from Op) reg.VecVirtual {
	v := s.vector()
	VBROADCASTSD(from, v)
	return v
}

// unit returns the address of vector u of a group of panels; base is the address of the first
// panel.
func (s *isa) unit(base, stride, stride3 reg.GPVirtual, u int) Mem {
	m := Mem{Base: base}
	if s.panels == 1 {
		m.Disp = 32 * u
		return m
	}
	switch u {
	case 1:
		m.Index, m.Scale = stride, 1
	case 2:
		m.Index, m.Scale = stride, 2
	case 3:
		m.Index, m.Scale = stride3, 1
	}
	return m
}
