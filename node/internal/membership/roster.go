package membership

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/internal/wire"
)

// A Roster is the members of a run in rank order: by name, then by peer ID. Each entry stands
// for one process: a restarted member is a new entry.
type Roster struct {
	Consortium [32]byte
	Entries    []wire.Entry
}

// NewRoster returns the roster with the given entries.
func NewRoster(consortium [32]byte, entries []wire.Entry) *Roster {
	return &Roster{Consortium: consortium, Entries: slices.SortedFunc(slices.Values(entries), compareEntries)}
}

// compareEntries compares two entries in the order of ranks.
func compareEntries(a, b wire.Entry) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), bytes.Compare(a.ID, b.ID))
}

// Canonical returns the bytes that are hashed, stored and signed.
func (r *Roster) Canonical() []byte {
	b := append([]byte("collabdict/roster/1"), r.Consortium[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(r.Entries)))
	for _, e := range r.Entries {
		for _, part := range [][]byte{[]byte(e.Name), e.ID, e.Process[:]} {
			b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
			b = append(b, part...)
		}
	}
	return b
}

// Run returns the identity of the run that the roster begins.
func (r *Roster) Run() [32]byte {
	h := sha256.New()
	h.Write([]byte("collabdict/run/1"))
	h.Write(r.Consortium[:])
	h.Write(r.Canonical())
	return [32]byte(h.Sum(nil))
}

// Find returns the entry of a peer.
func (r *Roster) Find(id peer.ID) (wire.Entry, bool) {
	for _, e := range r.Entries {
		if string(e.ID) == string(id) {
			return e, true
		}
	}
	return wire.Entry{}, false
}

// Has reports whether a peer is listed.
func (r *Roster) Has(id peer.ID) bool {
	_, ok := r.Find(id)
	return ok
}

// Names returns the members' names, by rank.
func (r *Roster) Names() []string {
	names := make([]string, len(r.Entries))
	for i, e := range r.Entries {
		names[i] = e.Name
	}
	return names
}

// Verify checks the names in the roster and a member's signature of it. The key is part of an
// Ed25519 peer's ID.
func (r *Roster) Verify(id peer.ID, signature []byte) error {
	for _, e := range r.Entries {
		if err := CheckName("roster: name", e.Name); err != nil {
			return err
		}
	}
	key, err := id.ExtractPublicKey()
	if err != nil {
		return fmt.Errorf("peer ID %s: want a peer ID with an Ed25519 key: %w", id, err)
	}
	if ok, err := key.Verify(r.Canonical(), signature); err != nil || !ok {
		return fmt.Errorf("the signature under its roster is not valid")
	}
	return nil
}

// Sign returns the roster's signature by a member's key.
func (r *Roster) Sign(key crypto.PrivKey) ([]byte, error) { return key.Sign(r.Canonical()) }
