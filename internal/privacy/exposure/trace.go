package exposure

import (
	"math"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// Trace holds the frames of a plan's sessions as combinations of the members' vectors. Vertices
// stand for members.
//
// A plan may cut vectors into cells that take different routes. Within a cell all values are
// combined alike.
type Trace struct {
	Size   int
	Cells  int
	Frames map[FrameKey][]Piece
}

// FrameKey identifies a frame of a session.
type FrameKey struct{ From, To, Round, Part int }

// Piece is the part of a frame that belongs to one cell.
type Piece struct {
	Cell    int
	Weights []uint64 // weights of the members' vectors: numbers of the arithmetic, or the bits of float64
}

// NewTrace runs the sessions of a plan on unit vectors.
func NewTrace(plan session.Plan, a chunking.Arithmetic) *Trace {
	t := &Trace{Size: plan.Size(), Cells: 1, Frames: map[FrameKey][]Piece{}}
	if _, cut := plan.(*session.Circulant); cut {
		t.Cells = t.Size
		t.probeCells(plan, a)
		return t
	}
	limbs := Limbs(a)
	one := uint64(1)
	if a == chunking.Float {
		one = math.Float64bits(1)
	}
	run(plan, func(vertex int) []uint64 {
		x := make([]uint64, t.Size*limbs)
		x[vertex*limbs] = one
		return x
	}, func(k FrameKey, words []uint64) {
		if limbs > 1 {
			words = low(words)
		}
		t.Frames[k] = []Piece{{Weights: words}}
	})
	return t
}

// probeCells gives each member in turn a vector with one value per cell, its number from 1. The
// values of sums then show which cells a frame holds.
func (t *Trace) probeCells(plan session.Plan, a chunking.Arithmetic) {
	limbs := Limbs(a)
	for s := range t.Size {
		run(plan, func(vertex int) []uint64 {
			x := make([]uint64, t.Size*limbs)
			for cell := range t.Size {
				if vertex == s {
					x[cell*limbs] = uint64(cell + 1)
				}
			}
			return x
		}, func(k FrameKey, words []uint64) {
			if limbs > 1 {
				words = low(words)
			}
			pieces := t.Frames[k]
			if pieces == nil {
				pieces = make([]Piece, len(words))
				for i := range pieces {
					pieces[i].Weights = make([]uint64, t.Size)
				}
				t.Frames[k] = pieces
			}
			for i, w := range words {
				if w > 0 {
					pieces[i].Cell, pieces[i].Weights[s] = int(w)-1, 1
				}
			}
		})
	}
}

// run executes the sessions of all members and calls show for every frame.
func run(plan session.Plan, vector func(vertex int) []uint64, show func(FrameKey, []uint64)) {
	members := make([]int, plan.Size())
	for v := range members {
		members[v] = v
	}
	sessions := make([]session.Session, len(members))
	type sent struct {
		from int
		session.Frame
	}
	var frames []sent
	send := func(from int, fs []session.Frame) {
		for _, f := range fs {
			show(FrameKey{from, f.To, f.Round, f.Part}, f.Words)
			frames = append(frames, sent{from, f})
		}
	}
	for v := range sessions {
		sessions[v] = plan.New(session.Placement{Members: members, Self: v}, vector(v))
		send(v, sessions[v].Start())
	}
	for len(frames) > 0 {
		arriving := frames
		frames = nil
		for _, f := range arriving {
			if err := sessions[f.To].Receive(f.from, f.Round, f.Part, f.Words); err != nil {
				panic("exposure: " + err.Error()) // the plan contradicts itself
			}
		}
		for v, s := range sessions {
			send(v, s.Advance())
		}
	}
}

// Bounds returns the range of a cell in a vector of the given number of words.
func (t *Trace) Bounds(cell, words, limbs int) (from, to int) {
	values := words / limbs
	return values * cell / t.Cells * limbs, values * (cell + 1) / t.Cells * limbs
}

// Limbs returns the number of words per value.
func Limbs(a chunking.Arithmetic) int {
	if a == chunking.Ring128 {
		return 2
	}
	return 1
}

// low returns the low words of values of two words.
func low(words []uint64) []uint64 {
	l := make([]uint64, len(words)/2)
	for i := range l {
		l[i] = words[2*i]
	}
	return l
}
