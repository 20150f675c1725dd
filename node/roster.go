package node

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

// roster is the members of a run, in rank order: by name, then by peer ID. Each
// is one process: a member that is started again is another entry.
type roster struct {
	consortium [32]byte
	entries    []wire.Entry
}

func newRoster(consortium [32]byte, entries []wire.Entry) *roster {
	return &roster{consortium: consortium, entries: slices.SortedFunc(slices.Values(entries), compareEntries)}
}

// compareEntries gives the order of ranks.
func compareEntries(a, b wire.Entry) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), bytes.Compare(a.ID, b.ID))
}

// canonical returns the bytes that are hashed, stored and signed.
func (r *roster) canonical() []byte {
	b := append([]byte("collabdict/roster/1"), r.consortium[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(r.entries)))
	for _, e := range r.entries {
		for _, part := range [][]byte{[]byte(e.Name), e.ID, e.Process[:]} {
			b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
			b = append(b, part...)
		}
	}
	return b
}

// run returns the identity of the run that the roster begins.
func (r *roster) run() [32]byte {
	h := sha256.New()
	h.Write([]byte("collabdict/run/1"))
	h.Write(r.consortium[:])
	h.Write(r.canonical())
	return [32]byte(h.Sum(nil))
}

// find returns the entry of a peer.
func (r *roster) find(id peer.ID) (wire.Entry, bool) {
	for _, e := range r.entries {
		if string(e.ID) == string(id) {
			return e, true
		}
	}
	return wire.Entry{}, false
}

func (r *roster) has(id peer.ID) bool {
	_, ok := r.find(id)
	return ok
}

func (r *roster) names() []string {
	names := make([]string, len(r.entries))
	for i, e := range r.entries {
		names[i] = e.Name
	}
	return names
}

// verify checks a member's signature under the roster. The key is part of an
// Ed25519 peer's ID.
func (r *roster) verify(id peer.ID, signature []byte) error {
	key, err := id.ExtractPublicKey()
	if err != nil {
		return fmt.Errorf("peer ID %s: want one with an Ed25519 key: %w", id, err)
	}
	if ok, err := key.Verify(r.canonical(), signature); err != nil || !ok {
		return fmt.Errorf("the signature under its roster is not valid")
	}
	return nil
}

func (r *roster) sign(key crypto.PrivKey) ([]byte, error) { return key.Sign(r.canonical()) }
