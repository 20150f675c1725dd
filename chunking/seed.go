package chunking

import (
	"encoding/binary"
	"math/rand/v2"
)

// SeedSize is the length of a seed in bytes.
const SeedSize = 32

// A Context identifies the use of a random vector. It enters the derivation, so that no random
// vector hides two vectors.
type Context struct {
	Run      [32]byte
	Slot     uint64
	Ballot   uint32
	Lane     uint32 // session of a sum with several sessions; otherwise 0
	From, To int    // ranks of the members
}

// derive returns 32 bytes that depend on the secret, the purpose and the context.
func derive(secret []byte, purpose Purpose, c Context) [32]byte {
	var room [128]byte
	info := append(room[:0], "collabdict/"...)
	info = append(info, purpose...)
	info = append(info, "/1/"...)
	info = append(info, c.Run[:]...)
	info = binary.BigEndian.AppendUint64(info, c.Slot)
	info = binary.BigEndian.AppendUint32(info, c.Ballot)
	info = binary.BigEndian.AppendUint32(info, uint32(c.From))
	info = binary.BigEndian.AppendUint32(info, uint32(c.To))
	if c.Lane > 0 { // its length differs from that of any context without a lane
		info = binary.BigEndian.AppendUint32(info, c.Lane)
	}
	return key(secret, info)
}

// Partners draws the members to which c.From hands a seed: fanout of the size-1 others, in
// ascending order, from its secret entropy.
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

// Seed returns the seed that c.From hands to c.To, from the secret entropy of c.From. If c.To =
// c.From, it is the seed of c.From's own pad.
func Seed(entropy [32]byte, c Context) [SeedSize]byte {
	return derive(entropy[:], "seed", c)
}
