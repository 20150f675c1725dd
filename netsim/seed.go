package netsim

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// keyOf derives a key for one purpose of one member from the seed of a run. So more draws for
// one purpose change nothing for the others.
func keyOf(seed uint64, purpose string, rank int) [32]byte {
	b := append([]byte("collabdict/netsim/1/"+purpose), 0)
	b = binary.BigEndian.AppendUint64(b, seed)
	b = binary.BigEndian.AppendUint64(b, uint64(rank))
	return sha256.Sum256(b)
}

func source(seed uint64, purpose string, rank int) *rand.ChaCha8 {
	return rand.NewChaCha8(keyOf(seed, purpose, rank))
}

// source returns a new random source for one purpose of the network at each call.
func (n *network) source(purpose string) *rand.Rand {
	n.sources[purpose]++
	return rand.New(source(n.config.Seed, purpose, n.sources[purpose]-1))
}

// RunID returns the identity of the run of a seed.
func RunID(seed uint64) [32]byte { return keyOf(seed, "run", 0) }

func secretOf(seed uint64, rank int) [32]byte { return keyOf(seed, "nonce", rank) }
