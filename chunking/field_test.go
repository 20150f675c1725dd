package chunking

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

func fieldElement() *rapid.Generator[uint64] {
	return rapid.OneOf(rapid.Uint64Range(0, Prime-1), rapid.SampledFrom([]uint64{0, 1, 2, Prime - 2, Prime - 1, 1 << 60}))
}

func TestFieldAgainstBigInt(t *testing.T) {
	p := big.NewInt(Prime)
	if !p.ProbablyPrime(32) {
		t.Fatalf("%d is not prime", p)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := fieldElement().Draw(t, "a"), fieldElement().Draw(t, "b")
		x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
		for name, c := range map[string]struct {
			got  uint64
			want *big.Int
		}{
			"+": {FieldAdd(a, b), new(big.Int).Add(x, y)},
			"-": {FieldSub(a, b), new(big.Int).Sub(x, y)},
			"·": {FieldMul(a, b), new(big.Int).Mul(x, y)},
		} {
			if want := c.want.Mod(c.want, p).Uint64(); c.got != want {
				t.Errorf("%d %s %d = %d, want %d", a, name, b, c.got, want)
			}
		}
		if a != 0 {
			if got, want := FieldInv(a), new(big.Int).ModInverse(x, p).Uint64(); got != want {
				t.Errorf("inverse of %d is %d, want %d", a, got, want)
			}
		}
	})
}
