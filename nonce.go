package collabdict

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
)

// AgreeNonce draws a public random value that no member chose alone: every
// member publishes a commitment to its secret, then the secret; the nonce is a
// hash of them all, or of those that have revealed. A member that has seen the others'
// commitments can no longer change its own share. The secret must be fresh; it is public afterwards.
//
// The note is published with the commitment; it may be empty. Those of all members are
// returned by rank, nil for one that was lost.
func AgreeNonce(ctx context.Context, g Group, secret [32]byte, note []byte) (nonce [32]byte, notes [][]byte, err error) {
	own := sha256.Sum256(append([]byte("collabdict/commitment/1"), secret[:]...))
	commitments, err := g.Gather(ctx, append(own[:], note...))
	if err != nil {
		return nonce, nil, fmt.Errorf("commitments: %w", err)
	}
	notes = make([][]byte, len(commitments))
	for s, c := range commitments {
		switch {
		case c == nil:
		case len(c) < len(own):
			return nonce, nil, fmt.Errorf("member %d: want a commitment of %d bytes, got %d", s, len(own), len(c))
		default:
			notes[s] = c[len(own):]
		}
	}
	reveals, err := g.Gather(ctx, secret[:])
	if err != nil {
		return nonce, nil, fmt.Errorf("reveals: %w", err)
	}
	h := sha256.New()
	h.Write([]byte("collabdict/nonce/1"))
	for s, reveal := range reveals {
		if reveal == nil || commitments[s] == nil { // lost at one of the two: the nonce is made without it
			continue
		}
		want := sha256.Sum256(append([]byte("collabdict/commitment/1"), reveal...))
		if len(reveal) != len(secret) || subtle.ConstantTimeCompare(want[:], commitments[s][:len(want)]) != 1 {
			return nonce, nil, fmt.Errorf("member %d revealed another secret than it had committed to", s)
		}
		h.Write(reveal)
	}
	return [32]byte(h.Sum(nil)), notes, nil
}
