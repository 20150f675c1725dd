package cpu

import (
	"slices"
	"testing"
)

func TestChoose(t *testing.T) {
	both := []Path{AVX2, Portable}
	for _, test := range []struct {
		wanted string
		from   []Path
		want   Path
		err    string
	}{
		{"", both, AVX2, ""},
		{"avx2", both, AVX2, ""},
		{"portable", both, Portable, ""},
		{"", both[1:], Portable, ""},
		{"avx512", both, AVX2, `COLLABDICT_CPU: want one that this processor and program have (avx2, portable), got "avx512"`},
		{"AVX2", both[1:], Portable, `COLLABDICT_CPU: want one that this processor and program have (portable), got "AVX2"`},
	} {
		got, err := choose(test.wanted, test.from)
		if got != test.want || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("%q of %q: got %q, %v, want %q, %s", test.wanted, test.from, got, err, test.want, test.err)
		}
	}
}

func TestThisMachine(t *testing.T) {
	if got := All(); !slices.Contains(got, Active()) || got[len(got)-1] != Portable {
		t.Errorf("%q is active of %q", Active(), got)
	}
	if All()[0] != Portable && IsFMASlow() {
		t.Error("vectors without FMA")
	}
}
