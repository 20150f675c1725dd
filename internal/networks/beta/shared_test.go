package beta

import (
	"math"
	"strings"
	"testing"
)

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
			t.Fatalf("accepted %+v", s)
		}
		if string(encode(*s)) != string(b) {
			t.Fatalf("%+v does not encode to %x", s, b)
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
