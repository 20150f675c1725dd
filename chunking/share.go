package chunking

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// A Share is one holder's part of a secret of 32 bytes: the values at the point X of polynomials
// over GF(2^8). There is one polynomial per byte of the secret, and its value at zero is that
// byte (Shamir 1979).
type Share struct {
	X byte // point of the holder, 1 to 255
	Y [32]byte
}

// SplitSecret returns shares of a secret for the given number of holders, at the points 1, 2,
// and so on. Any threshold of them restore the secret. Fewer reveal nothing about it without
// the entropy. It requires 1 <= threshold <= holders <= 255. The same entropy may serve for
// several secrets.
func SplitSecret(secret [32]byte, holders, threshold int, entropy [32]byte) []Share {
	if threshold < 1 || holders < threshold || holders > 255 {
		panic(fmt.Sprintf("chunking: %d shares with threshold %d", holders, threshold))
	}
	// The key depends on all arguments, so the polynomials of two secrets or two thresholds are
	// independent.
	info := fmt.Appendf(nil, "collabdict/shares/1/%d/%d", holders, threshold)
	rng := rand.NewChaCha8(key(append(entropy[:], secret[:]...), info))
	polynomial := make([][4]uint64, threshold)
	polynomial[0] = words256(secret)
	for j := 1; j < threshold; j++ {
		for i := range polynomial[j] {
			polynomial[j][i] = rng.Uint64()
		}
	}
	shares := make([]Share, holders)
	for i := range shares {
		x := byte(i + 1)
		shares[i] = Share{X: x, Y: bytes256(at256(polynomial, x))}
	}
	return shares
}

// at256 returns the values at x of polynomials given by their coefficients, lowest first.
func at256(polynomial [][4]uint64, x byte) (y [4]uint64) {
	for j := len(polynomial) - 1; j >= 0; j-- {
		for i := range y {
			y[i] = times256(y[i], x) ^ polynomial[j][i]
		}
	}
	return y
}

// JoinSecret returns the secret that the first threshold shares restore, and checks the other
// shares against it. It returns an error for too few shares, for two of the same holder, and
// for shares of different secrets.
func JoinSecret(shares []Share, threshold int) ([32]byte, error) {
	var secret [32]byte
	if threshold < 1 || len(shares) < threshold {
		return secret, fmt.Errorf("shares: want at least %d, got %d", max(threshold, 1), len(shares))
	}
	var seen [256]bool
	for _, s := range shares {
		if s.X == 0 || seen[s.X] {
			return secret, fmt.Errorf("shares: want different points from 1 to 255, got %d", s.X)
		}
		seen[s.X] = true
	}
	needed := shares[:threshold]
	for _, s := range shares[threshold:] {
		if interpolate256(needed, s.X) != words256(s.Y) {
			return secret, fmt.Errorf("shares: the share at point %d contradicts the others", s.X)
		}
	}
	return bytes256(interpolate256(needed, 0)), nil
}

// interpolate256 returns the values at x of the polynomials through the shares:
// Σ_i y_i Π_{j≠i} (x - x_j)/(x_i - x_j).
func interpolate256(shares []Share, x byte) (y [4]uint64) {
	for i, s := range shares {
		above, below := byte(1), byte(1)
		for j, other := range shares {
			if j != i {
				above = byte(times256(uint64(above), x^other.X))
				below = byte(times256(uint64(below), s.X^other.X))
			}
		}
		weight := byte(times256(uint64(above), inverse256(below)))
		for k, w := range words256(s.Y) {
			y[k] ^= times256(w, weight)
		}
	}
	return y
}

func words256(b [32]byte) (w [4]uint64) {
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return w
}

func bytes256(w [4]uint64) (b [32]byte) {
	for i, v := range w {
		binary.LittleEndian.PutUint64(b[8*i:], v)
	}
	return b
}
