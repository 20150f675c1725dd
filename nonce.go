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
func AgreeNonce(ctx context.Context, g Group, secret [32]byte) ([32]byte, error) {
	own := sha256.Sum256(append([]byte("collabdict/commitment/1"), secret[:]...))
	commitments, err := g.Gather(ctx, own[:])
	if err != nil {
		return [32]byte{}, fmt.Errorf("commitments: %w", err)
	}
	reveals, err := g.Gather(ctx, secret[:])
	if err != nil {
		return [32]byte{}, fmt.Errorf("reveals: %w", err)
	}
	nonce := sha256.New()
	nonce.Write([]byte("collabdict/nonce/1"))
	for s, reveal := range reveals {
		if reveal == nil { // lost since its commitment: the nonce is made without it
			continue
		}
		want := sha256.Sum256(append([]byte("collabdict/commitment/1"), reveal...))
		if len(reveal) != len(secret) || subtle.ConstantTimeCompare(want[:], commitments[s]) != 1 {
			return [32]byte{}, fmt.Errorf("member %d revealed another secret than it had committed to", s)
		}
		nonce.Write(reveal)
	}
	return [32]byte(nonce.Sum(nil)), nil
}
