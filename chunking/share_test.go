package chunking

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestField256(t *testing.T) {
	// FIPS 197, section 4.2.
	for _, c := range []struct{ a, b, want byte }{{0x57, 0x83, 0xc1}, {0x57, 0x13, 0xfe}, {0x57, 0x02, 0xae}, {0, 7, 0}, {7, 0, 0}} {
		if got := byte(times256(uint64(c.a), c.b)); got != c.want {
			t.Errorf("%#x · %#x = %#x, want %#x", c.a, c.b, got, c.want)
		}
	}
	for x := 1; x < 256; x++ {
		if one := times256(uint64(x), inverse256(byte(x))); one != 1 {
			t.Errorf("%#x times its inverse is %#x", x, one)
		}
	}
	if got, want := times256(0x0157_0000_ff80_0257, 0x13), uint64(0x13fe_0000_7343_26fe); got != want {
		t.Errorf("eight at once: %#x, want %#x", got, want)
	}
}

func TestAnyThresholdOfSharesGivesTheSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		holders := rapid.IntRange(1, 255).Draw(t, "holders")
		threshold := rapid.IntRange(1, min(holders, 40)).Draw(t, "threshold")
		var secret [32]byte
		copy(secret[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "secret"))
		shares := SplitSecret(secret, holders, threshold, [32]byte{rapid.Byte().Draw(t, "entropy")})
		if len(shares) != holders {
			t.Fatalf("%d shares for %d holders", len(shares), holders)
		}
		some := rapid.Permutation(shares).Draw(t, "order")[:rapid.IntRange(threshold, holders).Draw(t, "shares")]
		got, err := JoinSecret(some, threshold)
		if err != nil || got != secret {
			t.Errorf("%d of %d shares give %x, %v, want %x", len(some), holders, got, err, secret)
		}
		few := some[:threshold-1]
		if _, err := JoinSecret(few, threshold); err == nil {
			t.Errorf("%d shares give a secret that needs %d", len(few), threshold)
		}
	})
}

// Two of three shares reveal nothing about the secret: over all polynomials, each pair of
// values occurs once for every secret.
func TestFewerSharesThanTheThresholdRevealNothing(t *testing.T) {
	for _, secret := range []uint64{0, 1, 0x57, 0xff} {
		for _, points := range [][2]byte{{1, 2}, {3, 255}} {
			var seen [256][256]bool
			for a := range uint64(256) {
				for b := range uint64(256) {
					polynomial := [][4]uint64{{secret}, {a}, {b}}
					seen[at256(polynomial, points[0])[0]][at256(polynomial, points[1])[0]] = true
				}
			}
			for y := range seen {
				if slices.Contains(seen[y][:], false) {
					t.Fatalf("secret %#x: not all values occur at %d with %#x at %d", secret, points[1], y, points[0])
				}
			}
		}
	}
}

// The coefficients are uniform and differ between secrets and thresholds. So shares of two
// secrets with the same entropy reveal nothing about their difference.
func TestSharesOfTwoSecrets(t *testing.T) {
	counts := make([]float64, 256)
	for i := range 2048 {
		secret := [32]byte{byte(i), byte(i >> 8)}
		a := SplitSecret(secret, 3, 2, [32]byte{1})
		b := SplitSecret([32]byte{}, 3, 2, [32]byte{1})
		for j := range 32 {
			if i > 0 {
				counts[a[2].Y[j]^b[2].Y[j]]++
			}
		}
	}
	if x := chiSquare(counts, 2047*32); x > 255+5*22.6 {
		t.Errorf("differences of shares: χ² = %g", x)
	}
	a, b := SplitSecret([32]byte{}, 3, 2, [32]byte{1}), SplitSecret([32]byte{}, 3, 3, [32]byte{1})
	if a[0].Y == b[0].Y || slices.Equal(a, SplitSecret([32]byte{}, 3, 2, [32]byte{2})) {
		t.Error("shares depend on neither threshold nor entropy")
	}
}

// The points and the field are part of the protocol; the coefficients are not.
func TestShareVector(t *testing.T) {
	// 0x42 + 0x11·x + 0xa5·x² at 1, 2 and 5.
	shares := []Share{{X: 1, Y: [32]byte{0xf6}}, {X: 2, Y: [32]byte{0xc2}}, {X: 5, Y: [32]byte{0x0c}}}
	got, err := JoinSecret(shares, 3)
	if err != nil || got[0] != 0x42 {
		t.Errorf("got %#x, %v, want 0x42", got[0], err)
	}
}

func TestJoinRefusesBadShares(t *testing.T) {
	shares := SplitSecret([32]byte{1, 2, 3}, 5, 3, [32]byte{4})
	change := func(f func(s []Share) []Share) []Share { return f(slices.Clone(shares)) }
	for name, c := range map[string]struct {
		shares []Share
		want   string
	}{
		"none":      {nil, "want at least 3, got 0"},
		"few":       {shares[:2], "want at least 3, got 2"},
		"doubled":   {change(func(s []Share) []Share { return []Share{s[0], s[1], s[0]} }), "got 1"},
		"zero":      {change(func(s []Share) []Share { s[1].X = 0; return s }), "got 0"},
		"other":     {change(func(s []Share) []Share { s[4].Y[31] ^= 1; return s }), "the share at point 5"},
		"first":     {change(func(s []Share) []Share { s[0].Y[0] ^= 1; return s }), "contradicts the others"},
		"elsewhere": {change(func(s []Share) []Share { s[2].X = 9; return s }), "contradicts the others"},
	} {
		if _, err := JoinSecret(c.shares, 3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if _, err := JoinSecret(shares, 0); err == nil {
		t.Error("a threshold of 0 is taken")
	}
}

func TestSplitPanicsOnImpossibleNumbers(t *testing.T) {
	for _, c := range [][2]int{{3, 0}, {2, 3}, {256, 2}, {0, 0}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			SplitSecret([32]byte{}, c[0], c[1], [32]byte{})
		})
	}
}
