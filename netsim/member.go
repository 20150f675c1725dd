package netsim

import (
	"math/rand/v2"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// member is one participant as the network sees it: what runs, and what stays
// when its process is stopped.
type member struct {
	machine *consensus.Machine // nil while it is stopped
	process int                // how many have been stopped
	group   *group             // of its process
	state   processState
	since   time.Duration // when it began to compute
	learner uint64        // the call that its participant has come to
	stops   []Stop        // not come yet
	factor  float64       // of the time that its local updates take; 0 is 1
	clock   Clock
	up      pipe
	down    pipe
	round   uint32        // the last that it has come to
	began   time.Duration // when it did
	took    time.Duration // its last round

	jobs []int // in the batch
	held bool  // those to come are to wait

	adversary Adversary
	entropy   *rand.ChaCha8
	disk      map[uint64]map[string][]byte // nil if nobody is ever started again
	log       []*consensus.Decision
	answers   []*consensus.Decision // of the log, to the participant's calls
	amended   []uint64              // slots of the others: amendments
	changes   int                   // that its operator wants, of the network's
	call      consensus.Call        // the last
	record    consensus.Record
	messages  int64
	bytes     int64
	err       error
	network   bool   // err came from the machine, so is perhaps another's doing
	stopped   []Span // when it had no process
}

// processState says what a participant does.
type processState int

const (
	computing processState = iota // the network is to hear what it wants next
	updating                      // it has been heard, and its local update takes virtual time
	waiting                       // for the decision of a call
	ended
	awaited // stopped, and to be started again
)

// fresh draws secret randomness that is used once.
func (m *member) fresh() (b [32]byte) {
	if _, err := m.entropy.Read(b[:]); err != nil {
		panic(err) // a ChaCha8 never fails
	}
	return b
}

// keepsDisk lets the member come back after a stop.
func (m *member) keepsDisk() {
	if m.disk == nil {
		m.disk = map[uint64]map[string][]byte{}
	}
}

// forget empties the disk.
func (m *member) forget() {
	m.disk = map[uint64]map[string][]byte{}
	m.log, m.answers, m.amended, m.record = nil, nil, nil, consensus.Record{}
}

// saved returns what the disk holds.
func (m *member) saved() consensus.Saved {
	s := consensus.Saved{Slots: m.disk}
	if len(m.log) > 0 {
		s.Last = m.log[len(m.log)-1]
	}
	return s
}

// write carries out the writes of an event.
func (m *member) write(writes []consensus.Write) {
	if m.disk == nil {
		return
	}
	for _, w := range writes {
		switch {
		case w.Name == consensus.Forget:
			delete(m.disk, w.Slot)
		case w.Data == nil:
			delete(m.disk[w.Slot], w.Name)
		default:
			if m.disk[w.Slot] == nil {
				m.disk[w.Slot] = map[string][]byte{}
			}
			m.disk[w.Slot][w.Name] = w.Bytes()
		}
	}
}
