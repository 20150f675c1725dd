package chunking

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
)

// key returns 32 bytes of HKDF-SHA256 (RFC 5869) without salt, for a secret and an info string.
// The bytes equal those of crypto/hkdf, which allocates hash states on the heap and makes a sum
// 7 to 15 % slower (docs/adr/0023-an-hkdf-of-our-own.md).
func key(secret, info []byte) [SeedSize]byte {
	extracted := hmac([sha256.Size]byte{}, secret)
	return hmac(extracted, append(info, 1)) // one block is enough
}

var innerPad, outerPad = bytes.Repeat([]byte{0x36}, sha256.BlockSize), bytes.Repeat([]byte{0x5c}, sha256.BlockSize)

// hmac returns the HMAC-SHA256 (RFC 2104) of a message under a key of 32 bytes.
func hmac(key [sha256.Size]byte, message []byte) [sha256.Size]byte {
	var room [4 * sha256.BlockSize]byte // longer messages are allocated on the heap
	inner := append(room[:0], innerPad...)
	subtle.XORBytes(inner, inner, key[:])
	digest := sha256.Sum256(append(inner, message...))
	outer := append(room[:0], outerPad...)
	subtle.XORBytes(outer, outer, key[:])
	return sha256.Sum256(append(outer, digest[:]...))
}
