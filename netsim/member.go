package netsim

import (
	"math/rand/v2"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// A member is one participant as the network sees it: its process, and the state that survives
// a stop.
type member struct {
	machine *consensus.Machine // nil while the member is stopped
	process int                // number of processes stopped so far
	group   *group             // group of the process
	state   processState
	since   time.Duration // start of the present computation
	learner uint64        // the call that its participant has reached
	stops   []Stop        // planned stops that have not happened yet
	factor  float64       // factor of the time of local updates; 0 means 1
	clock   Clock
	up      pipe
	down    pipe
	round   uint32        // last round that it has reached
	began   time.Duration // start of that round
	took    time.Duration // duration of its last round

	jobs []int // indices of its jobs in the batch
	held bool  // later events must wait

	adversary Adversary
	entropy   *rand.ChaCha8
	disk      map[uint64]map[string][]byte // nil if the member never restarts
	log       []*consensus.Decision
	answers   []*consensus.Decision // decisions of the log that answer the participant's calls
	amended   []uint64              // slots of the amendments
	changes   int                   // number of network.changes that its operator wants
	call      consensus.Call        // the one that waits for a decision
	record    consensus.Record
	messages  int64
	bytes     int64
	err       error
	network   bool   // err came from the machine, so another member may be the cause
	stopped   []Span // times without a process
}

// processState is the state of a participant.
type processState int

const (
	computing processState = iota // computing; the network must wait for its next request
	updating                      // the request is known, and the local update takes virtual time
	waiting                       // waiting for the decision of a call
	ended
	awaited // stopped, and will restart
)

// fresh draws secret random bytes for one use.
func (m *member) fresh() (b [32]byte) {
	if _, err := m.entropy.Read(b[:]); err != nil {
		panic(err) // a ChaCha8 never fails
	}
	return b
}

// keepsDisk gives the member a disk, so that it can restart.
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

// saved returns the contents of the disk.
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
