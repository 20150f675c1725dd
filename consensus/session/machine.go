package session

import (
	"cmp"
	"fmt"
	"slices"
)

// A port is a frame that a round expects: its sender, part and length.
type port struct{ from, part, words int }

func comparePorts(a, b port) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.part, b.part))
}

// A scheme is a member's part in the rounds of a plan. Frames without words are neither sent
// nor expected.
type scheme interface {
	// hears returns the ports of a round, sorted.
	hears(round int) []port
	// tells returns the frames of a round that has begun, in the order of members, or nil if no
	// correct member can still need them.
	tells(round int) []Frame
	// combine ends a round. heard holds the words of its ports.
	combine(heard [][]uint64)
	// check returns a description of the fault if words are invalid, or "".
	check(words []uint64) string
	// result is called after the last round.
	result() []uint64
}

// A taker is a scheme that processes the words of the current round's ports as they come, so
// that they need not be held until the round ends. combine then gets none.
type taker interface {
	take(port int, words []uint64)
}

// taken marks words that a taker has processed.
var taken = []uint64{}

// A machine runs a scheme. It holds frames that come early and ends a round when all of its
// ports have their words.
//
// A frame is held only in its port, so faulty members cannot make the machine hold more than
// correct ones.
type machine struct {
	scheme
	rounds int
	ahead  int // rounds by which a correct member can be ahead of this one
	done   int
	inbox  map[int][][]uint64 // words by round, then by port
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

// takeHeard passes the words of the current round to a taker.
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
		panic(fmt.Sprintf("session: result requested after %d of %d rounds", m.done, m.rounds))
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
