package journal

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// A note holds the facts that a member publishes about its last run when a run begins.
type note struct {
	past    bool   // it has taken part in a run; otherwise the rest is zero
	run     string // the last run
	size    int    // number of its members
	changed bool   // its rows have changed since that run
}

const (
	noteVersion = 1
	noteLength  = 2 + 32 + 4
	mostMembers = 1 << 24
)

// The second byte of a note.
const (
	noPast = iota
	sameRows
	otherRows
)

// Note returns what this participant publishes when a run begins, given the digest of its rows.
// It is the same when the run is resumed.
func (p *Past) Note(run [32]byte, rows string) []byte {
	last := p.before(hex.EncodeToString(run[:]))
	if last == nil || last.key != p.Key() { // a key that was lost since hides whether rows have changed
		return note{}.encode()
	}
	return note{past: true, run: last.id, size: len(last.members), changed: last.rows != rows}.encode()
}

func (n note) encode() []byte {
	if !n.past {
		return []byte{noteVersion, noPast}
	}
	id, err := hex.DecodeString(n.run)
	if err != nil {
		panic("journal: " + err.Error()) // the journal has been checked
	}
	b := append([]byte{noteVersion, sameRows}, id...)
	if n.changed {
		b[1] = otherRows
	}
	return binary.BigEndian.AppendUint32(b, uint32(n.size))
}

func decodeNote(b []byte) (n note, err error) {
	if len(b) < 2 || b[0] != noteVersion {
		return n, fmt.Errorf("want a note of version %d about the last run, got %d other bytes: run the same version on all members", noteVersion, len(b))
	}
	switch {
	case b[1] == noPast && len(b) == 2:
		return n, nil
	case (b[1] == sameRows || b[1] == otherRows) && len(b) == noteLength:
		n = note{past: true, run: hex.EncodeToString(b[2:34]), size: int(binary.BigEndian.Uint32(b[34:])), changed: b[1] == otherRows}
		if n.size > 0 && n.size <= mostMembers {
			return n, nil
		}
	}
	return note{}, fmt.Errorf("want a note of 2 bytes, or of %d about a run with members, got %x", noteLength, b[:min(len(b), noteLength+1)])
}
