package session

import (
	"cmp"
	"fmt"
	"slices"
)

// port is where a round expects a frame: its sender, its part and its length.
type port struct{ from, part, words int }

func comparePorts(a, b port) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.part, b.part))
}

// scheme is what a member does in the rounds of a plan. No frame has no words:
// one that would have none is neither sent nor expected.
type scheme interface {
	// hears returns the ports of a round, sorted.
	hears(round int) []port
	// tells returns the frames of a round that has begun, in order of members, or
	// nil if no correct member can need them any more.
	tells(round int) []Frame
	// combine ends a round with the words of its ports.
	combine(heard [][]uint64)
	// check says what is wrong with received words, or nothing.
	check(words []uint64) string
	// result is called after the last round.
	result() []uint64
}

// taker is a scheme that takes the words of a port of the round under way as they
// come, so that nobody holds them until the others are there. Combine then finds none.
type taker interface {
	take(port int, words []uint64)
}

// taken stands for words that a taker has taken.
var taken = []uint64{}

// machine drives a scheme: it holds what comes early and ends a round when all of
// its ports have their words.
//
// A frame is held only in a port of its own, so that wrong members cannot make it
// hold more than correct ones.
type machine struct {
	scheme
	rounds int
	ahead  int // rounds that a correct member can be ahead of this one
	done   int
	inbox  map[int][][]uint64 // by round, then by port
	come   Progress
}

func newMachine(s scheme, rounds, ahead int) *machine {
	return &machine{scheme: s, rounds: rounds, ahead: ahead, inbox: map[int][][]uint64{}}
}

func (m *machine) Start() []Frame {
	if m.Done() {
		return nil
	}
	return append(m.tells(0), m.Advance()...)
}

func (m *machine) Receive(from, round, part int, words []uint64) error {
	fault := func(format string, args ...any) error {
		return &FrameError{From: from, Round: round, Part: part, Reason: fmt.Sprintf(format, args...)}
	}
	if round < 0 || round >= m.rounds {
		return fault("want a round below %d", m.rounds)
	}
	ports := m.hears(round)
	i, ok := slices.BinarySearchFunc(ports, port{from: from, part: part}, comparePorts)
	switch {
	case !ok:
		return fault("the round has no such frame for this member")
	case round < m.done:
		return nil
	case round > m.done+m.ahead:
		return fault("no member can be ahead of round %d", m.done+m.ahead)
	case m.inbox[round] != nil && m.inbox[round][i] != nil:
		return nil
	case len(words) != ports[i].words:
		return fault("%d words, want %d", len(words), ports[i].words)
	}
	if wrong := m.check(words); wrong != "" {
		return fault("%s", wrong)
	}
	if m.inbox[round] == nil {
		m.inbox[round] = make([][]uint64, len(ports))
	}
	m.inbox[round][i] = words
	m.come.Frames++
	m.come.Words += len(words)
	if round == m.done {
		m.takeHeard()
	}
	return nil
}

// takeHeard hands a taker what has come of the round under way.
func (m *machine) takeHeard() {
	t, takes := m.scheme.(taker)
	if !takes {
		return
	}
	heard := m.inbox[m.done]
	for i, words := range heard {
		if len(words) > 0 {
			t.take(i, words)
			heard[i] = taken
		}
	}
}

func (m *machine) Advance() []Frame {
	var frames []Frame
	for !m.Done() && m.Waiting() == nil {
		m.combine(m.inbox[m.done])
		delete(m.inbox, m.done)
		m.done++
		if !m.Done() {
			frames = append(frames, m.tells(m.done)...)
			m.takeHeard()
		}
	}
	return frames
}

func (m *machine) Waiting() []int {
	if m.Done() {
		return nil
	}
	var missing []int
	heard := m.inbox[m.done]
	for i, p := range m.hears(m.done) {
		if heard == nil || heard[i] == nil {
			missing = append(missing, p.from)
		}
	}
	return slices.Compact(missing)
}

func (m *machine) Done() bool { return m.done >= m.rounds }

func (m *machine) Progress() Progress {
	if m.come.FramesInAll == 0 {
		for round := range m.rounds {
			for _, p := range m.hears(round) {
				m.come.FramesInAll++
				m.come.WordsInAll += p.words
			}
		}
	}
	return m.come
}

func (m *machine) Round() int { return m.done }

func (m *machine) Result() []uint64 {
	if !m.Done() {
		panic(fmt.Sprintf("session: result wanted after %d of %d rounds", m.done, m.rounds))
	}
	return m.result()
}

func (m *machine) Again(to, round int) []Frame {
	if round < 0 || round > m.done || round >= m.rounds {
		return nil
	}
	var frames []Frame
	for _, f := range m.tells(round) {
		if f.To == to {
			frames = append(frames, f)
		}
	}
	return frames
}
