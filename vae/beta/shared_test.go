package beta

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/lockstep"
	"pgregory.net/rapid"
)

// The bounds are the least powers of two above what all have.
func TestBoundsAreTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 3
		size := rapid.IntRange(1, 4).Draw(t, "members")
		values := make([][]float64, size)
		for k := range values {
			for range n {
				values[k] = append(values[k], rapid.SampledFrom([]float64{0, 1e-12, 0x1p-32, 0.25, 0.3, 1, 7, 1e9, math.Nextafter(0x1p32, 0)}).Draw(t, "value"))
			}
		}
		err := lockstep.Run(context.Background(), size, func(ctx context.Context, g collabdict.Group, rank int) error {
			got, err := agreeBounds(ctx, g, values[rank])
			if err != nil {
				return err
			}
			for i, b := range got {
				most := 0.0
				for k := range values {
					most = max(most, values[k][i])
				}
				if !(most < b) || b > 2*most && b != 0x1p-31 {
					t.Errorf("%g is bounded by %g", most, b)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	for _, v := range []float64{-1, math.NaN(), 0x1p32, math.Inf(1)} {
		if _, err := agreeBounds(t.Context(), collabdict.Solo{}, []float64{0, v}); err == nil || !strings.Contains(err.Error(), "value 2 of 2: want from 0 to below 2^32") {
			t.Errorf("%g: got %v", v, err)
		}
	}
}

func FuzzStanding(f *testing.F) {
	s := Standing{Discrepancy: 0.3}
	s.Weight.P = 0.25
	f.Add(encode(s))
	s.Weight.P = 2
	f.Add(encode(s))
	s.Discrepancy = math.Inf(1)
	f.Add(encode(s))
	f.Add([]byte{standingVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decode(b)
		if err != nil {
			return
		}
		if math.IsNaN(s.Discrepancy) || math.IsInf(s.Discrepancy, 0) || !(s.Weight.P >= 0 && s.Weight.P <= 1) {
			t.Fatalf("took %+v", s)
		}
		if string(encode(*s)) != string(b) {
			t.Fatalf("%+v is not what %x says", s, b)
		}
	})
}

func TestStandingsOfOthers(t *testing.T) {
	good := encode(Standing{Discrepancy: 1})
	if _, err := decodeAll([][]byte{good, nil, good[:4]}); err == nil || !strings.Contains(err.Error(), "standing of member 3 of 3: want 17 bytes") {
		t.Errorf("got %v", err)
	}
	all, err := decodeAll([][]byte{nil, good})
	if err != nil || all[0] != nil || all[1].Discrepancy != 1 {
		t.Errorf("got %v, %v", all, err)
	}
}
