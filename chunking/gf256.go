package chunking

// This file implements the field GF(2^8) = GF(2)[x] / (x^8 + x^4 + x^3 + x + 1) of AES, with
// eight elements in a word. Addition is exclusive or. Multiplication uses no table and branches
// only on the factor x. That factor is public: it is a point, or computed from points.

// times256 multiplies each byte of a by x.
func times256(a uint64, x byte) uint64 {
	const low, ones = 0x7f7f7f7f7f7f7f7f, 0x0101010101010101
	var product uint64
	for ; x > 0; x >>= 1 {
		product ^= a & -uint64(x&1)
		a = (a&low)<<1 ^ (a>>7&ones)*0x1b
	}
	return product
}

// inverse256 returns x^-1 = x^254 for x ≠ 0.
func inverse256(x byte) byte {
	power := x
	for range 6 { // 254 is seven ones and a zero in binary
		power = byte(times256(times256(uint64(power), power), x))
	}
	return byte(times256(uint64(power), power))
}
