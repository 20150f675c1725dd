package chunking

import "math/rand/v2"

// A seed is expanded by ChaCha8Rand (https://c2sp.org/chacha8rand), the generator of
// rand.ChaCha8: 16 blocks of ChaCha8 under a key give 124 words, and the key of the
// next 16. Where the processor can make eight blocks at once, expand does that, since
// expanding masks is most of what a member computes for a sum; elsewhere the words
// come from rand.ChaCha8. They are the same.

const (
	streamWords = 128 // of 16 blocks
	keyWords    = 4   // the last ones
)

// stream is the words of a seed.
type stream struct {
	rng  *rand.ChaCha8 // where there is no expand
	key  [keyWords]uint64
	room [streamWords]uint64
	rest []uint64 // of room, not yet given out
}

func newStream(seed [32]byte) *stream {
	if !canExpand {
		return &stream{rng: rand.NewChaCha8(seed)}
	}
	return &stream{key: words256(seed)}
}

// fill fills words with the next ones.
func (s *stream) fill(words []uint64) {
	if s.rng != nil {
		for i := range words {
			words[i] = s.rng.Uint64()
		}
		return
	}
	for len(words) > 0 {
		if len(s.rest) == 0 {
			expand(&s.key, &s.room)
			s.rest = s.room[:streamWords-keyWords]
			s.key = [keyWords]uint64(s.room[streamWords-keyWords:])
		}
		n := copy(words, s.rest)
		words, s.rest = words[n:], s.rest[n:]
	}
}
