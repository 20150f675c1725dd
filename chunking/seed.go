package chunking

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// SeedSize is the length of a seed in bytes.
const SeedSize = 32

// Context says what a chunk is for. It enters the derivation of the chunk, so
// that no chunk ever hides two vectors.
type Context struct {
	Run      [32]byte
	Slot     uint64
	Ballot   uint32
	From, To int // the members by rank
}

// derive returns 32 bytes that depend on the secret, the purpose and the
// context.
func derive(secret []byte, purpose string, c Context) [32]byte {
	info := append([]byte("collabdict/"+purpose+"/1/"), c.Run[:]...)
	info = binary.BigEndian.AppendUint64(info, c.Slot)
	info = binary.BigEndian.AppendUint32(info, c.Ballot)
	info = binary.BigEndian.AppendUint32(info, uint32(c.From))
	info = binary.BigEndian.AppendUint32(info, uint32(c.To))
	key, err := hkdf.Key(sha256.New, secret, nil, string(info), SeedSize)
	if err != nil {
		panic("chunking: " + err.Error()) // only for keys longer than SHA-256 allows
	}
	return [32]byte(key)
}

// Partners draws the members that c.From hands a seed to: fanout of the size-1
// others, in ascending order, from its secret entropy.
func Partners(entropy [32]byte, c Context, size, fanout int) []int {
	c.To = c.From
	rng := rand.New(rand.NewChaCha8(derive(entropy[:], "partners", c)))
	chosen := make([]bool, size)
	for _, i := range rng.Perm(size - 1)[:fanout] {
		if i >= c.From {
			i++
		}
		chosen[i] = true
	}
	partners := make([]int, 0, fanout)
	for s, yes := range chosen {
		if yes {
			partners = append(partners, s)
		}
	}
	return partners
}

// Seed returns the seed that c.From hands to c.To, from the secret entropy of
// c.From.
func Seed(entropy [32]byte, c Context) [SeedSize]byte {
	return derive(entropy[:], "seed", c)
}
