package collabdict

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
)

// NonceEntry names what [AgreeNonce] publishes.
const NonceEntry Entry = "nonce"

// AgreeNonce draws a public random value that no member can choose alone. Every member
// publishes a commitment to its secret, and then the secret. The nonce is a hash of all secrets
// that were revealed. A member that has seen the others' commitments can no longer change its
// own secret. The secret must be fresh; it is public afterwards.
//
// The note is published with the commitment; it may be empty. The notes of all members are
// returned by rank, nil for a member that was lost.
func AgreeNonce(ctx context.Context, g Group, secret [32]byte, note []byte) (nonce [32]byte, notes [][]byte, err error) {
	own := sha256.Sum256(append([]byte("collabdict/commitment/1"), secret[:]...))
	commitments, err := g.Gather(ctx, NonceEntry, append(own[:], note...))
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
	reveals, err := g.Gather(ctx, NonceEntry, secret[:])
	if err != nil {
		return nonce, nil, fmt.Errorf("reveals: %w", err)
	}
	h := sha256.New()
	h.Write([]byte("collabdict/nonce/1"))
	for s, reveal := range reveals {
		if reveal == nil || commitments[s] == nil { // lost in one of the two gathers: the nonce leaves it out
			continue
		}
		want := sha256.Sum256(append([]byte("collabdict/commitment/1"), reveal...))
		if len(reveal) != len(secret) || subtle.ConstantTimeCompare(want[:], commitments[s][:len(want)]) != 1 {
			return nonce, nil, fmt.Errorf("member %d: want the secret that it had committed to, got another one", s)
		}
		h.Write(reveal)
	}
	return [32]byte(h.Sum(nil)), notes, nil
}
