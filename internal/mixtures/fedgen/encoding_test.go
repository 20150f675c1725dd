package fedgen_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
)

func contribution(t testing.TB, form gmm.Covariance, k, dim int, which uint64) fedgen.Contribution {
	return fedgen.Contribution{Rows: 100 + int(which), Moments: fedgen.MomentsOf(mixture(t, form, k, dim, which))}
}

func encode(t testing.TB, c fedgen.Contribution) []byte {
	t.Helper()
	blob, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return blob
}

func TestEncodingRoundTrip(t *testing.T) {
	for _, form := range forms {
		for _, size := range [][2]int{{1, 1}, {3, 1}, {1, 4}, {5, 3}} {
			c := contribution(t, form, size[0], size[1], 9)
			got, err := fedgen.Decode(encode(t, c), form, size[1], size[0])
			if err != nil {
				t.Fatalf("%s: %v", form, err)
			}
			if !reflect.DeepEqual(got, c) {
				t.Errorf("%s of %v: got another contribution back", form, size)
			}
		}
	}
}

// The bytes are part of the protocol: they may change only with the version.
func TestEncodingBytes(t *testing.T) {
	c := fedgen.Contribution{Rows: 258, Moments: fedgen.Moments{
		Form: gmm.Full, Weights: []float64{1}, Means: [][]float64{{2, -2}}, Covariances: [][]float64{{4, 1, 1, 2}},
	}}
	want := "\x01\x00" + "\x00\x00\x00\x02" + "\x00\x00\x00\x01" + "\x00\x00\x00\x00\x00\x00\x01\x02" +
		"\x3f\xf0\x00\x00\x00\x00\x00\x00" +
		"\x40\x00\x00\x00\x00\x00\x00\x00" + "\xc0\x00\x00\x00\x00\x00\x00\x00" +
		"\x40\x10\x00\x00\x00\x00\x00\x00" + "\x3f\xf0\x00\x00\x00\x00\x00\x00" + "\x40\x00\x00\x00\x00\x00\x00\x00"
	if got := encode(t, c); string(got) != want {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestDecodeErrors(t *testing.T) {
	diag := func() []byte { return encode(t, contribution(t, gmm.Diag, 2, 3, 1)) }
	put := func(blob []byte, at int, v float64) []byte {
		binary.BigEndian.PutUint64(blob[18+8*at:], math.Float64bits(v))
		return blob
	}
	set := func(blob []byte, at int, v byte) []byte { blob[at] = v; return blob }
	full := encode(t, contribution(t, gmm.Full, 1, 2, 1)) // weight, 2 means, 3 covariances
	for _, c := range []struct {
		blob []byte
		form gmm.Covariance
		dim  int
		want string
	}{
		{nil, gmm.Diag, 3, "want a mixture in format version 1, got 0 bytes"},
		{set(diag(), 0, 2), gmm.Diag, 3, "run the same program version on all members"},
		{diag(), gmm.Full, 3, "want covariance matrices of form 0 (full), as this member has, got form 1"},
		{diag(), gmm.Diag, 4, "want 4 columns, as this member has, got 3"},
		{set(diag(), 9, 5), gmm.Diag, 3, "want 1 to 4 components as agreed, got 5"},
		{set(diag(), 9, 0), gmm.Diag, 3, "want 1 to 4 components as agreed, got 0"},
		{diag()[:129], gmm.Diag, 3, "want a mixture of 130 bytes, got 129"},
		{append(diag(), 0), gmm.Diag, 3, "want a mixture of 130 bytes, got 131"},
		{set(diag(), 10, 1), gmm.Diag, 3, "rows: want 1 to 2^40"},
		{set(diag(), 17, 0), gmm.Diag, 3, "rows: want 1 to 2^40, got 0"},
		{put(diag(), 0, math.NaN()), gmm.Diag, 3, "component 1: want a weight from 0 to 1, got NaN"},
		{put(diag(), 1, 0), gmm.Diag, 3, "want weights that add up to 1"},
		{put(diag(), 2, math.Inf(1)), gmm.Diag, 3, "component 1: column 1: want a mean of at most 2^200 in size, got +Inf"},
		{put(diag(), 13, 0), gmm.Diag, 3, "component 2: column 3: want a variance from 2^-400 to 2^400, got 0"},
		{put(full, 4, 1e6), gmm.Full, 2, "component 1: want a positive definite covariance matrix"},
	} {
		if _, err := fedgen.Decode(c.blob, c.form, c.dim, 4); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %q", err, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for i, form := range forms {
		f.Add(encode(f, contribution(f, form, 2, 2, uint64(i))), byte(form))
	}
	f.Fuzz(func(t *testing.T, blob []byte, form byte) {
		c, err := fedgen.Decode(blob, gmm.Covariance(form%3), 2, 3)
		if err != nil {
			return
		}
		if again := encode(t, c); !bytes.Equal(again, blob) {
			t.Fatalf("the decoded contribution encodes as %x", again)
		}
		m, err := c.Mixture()
		if err != nil {
			t.Fatalf("accepted moments that no mixture has: %v", err)
		}
		if v := m.LogDensity(c.Means[0]); math.IsNaN(v) {
			t.Fatal("log density NaN at a mean")
		}
	})
}
