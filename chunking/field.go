package chunking

import "math/bits"

// Prime is the Mersenne prime p = 2^61 - 1. The elements of the field F_p are the integers 0 to
// p-1. The functions below take and return only those.
const Prime = 1<<61 - 1

// FieldAdd returns a + b in F_p.
func FieldAdd(a, b uint64) uint64 { return lessPrime(a + b) }

// FieldSub returns a - b in F_p.
func FieldSub(a, b uint64) uint64 { return lessPrime(a + Prime - b) }

// FieldMul returns a·b in F_p. Since 2^61 = 1 in F_p, it adds the high part of the product to
// the low part.
func FieldMul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return lessPrime(lo&Prime + (hi<<3 | lo>>61))
}

// FieldInv returns a^-1 = a^(p-2) in F_p. It panics if a is zero.
func FieldInv(a uint64) uint64 {
	if a == 0 {
		panic("chunking: inverse of zero")
	}
	// p - 2 is 59 ones, a zero and a one in binary
	power := a
	for range 58 {
		power = FieldMul(FieldMul(power, power), a)
	}
	power = FieldMul(power, power)
	return FieldMul(FieldMul(power, power), a)
}

// lessPrime subtracts p from a value in p..2p-1 and returns smaller values unchanged. It does
// not branch, because the values are secret.
func lessPrime(a uint64) uint64 {
	less, borrow := bits.Sub64(a, Prime, 0)
	return less + Prime&-borrow
}
