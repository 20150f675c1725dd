package consensus

import "time"

// Params configures one member's machine.
type Params struct {
	Settings
	Self    int      // rank of this member
	Members []string // names of all members that are or were in the roster, in rank order
	// Removed are the ranks of members that have been removed, ascending. Revision is the
	// number of amendments so far.
	Removed  []uint32
	Revision uint32
	// Paused is the revision that has paused the run; 0 if it is not paused.
	Paused uint32
	// Joins means that an amendment will give Self its rank. Until that is decided, this member
	// only follows the decisions of the others.
	Joins bool
	// Run is the identity of the run. It enters every hash and every derived key.
	Run [32]byte
	// Plans are the plans for the settings, which machines in one process can share; nil means
	// that New makes them.
	Plans *Plans
	// Keys sign messages that third members check. With nil, as in simulations, nothing is
	// signed and everything is believed.
	Keys Keys
	// Heartbeat is the time between two heartbeats; 0 means 1 s.
	Heartbeat time.Duration
	// Volatile stores only the fact that a slot began: one write per slot, not one per step. A
	// member that restarts takes no part in the current slot, which stays undecided if it needs
	// all members.
	Volatile bool
	// Patience is the multiple of the usual time that a member may compute before the others
	// continue without it; 0 means 3. The usual time is that of its own updates and of the
	// others in the same slot.
	Patience float64
}

// Keys signs for this member and checks the signatures of all members.
type Keys interface {
	Sign(message []byte) []byte
	Verify(member int, message, signature []byte) bool
}

func (p Params) withDefaults() Params {
	p.Settings = p.Settings.withDefaults()
	if p.Heartbeat == 0 {
		p.Heartbeat = time.Second
	}
	if p.Patience == 0 {
		p.Patience = 3
	}
	return p
}
