package chunking

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"pgregory.net/rapid"
)

// The lanes of all members, added up lane by lane and joined, give exactly the sum of the
// vectors and pads.
func TestLanesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(arithmetics).Draw(t, "arithmetic")
		count := rapid.SampledFrom([]int{1, 2, 8, MaxFanout}).Draw(t, "lanes")
		l, err := NewLayout(a, 3, []collabdict.Block{{Len: 2, Bound: 1}})
		if err != nil {
			t.Fatal(err)
		}
		want, totals := make([]uint64, l.Words()), make([][]uint64, count)
		for s := range 3 {
			units, err := l.Encode([]float64{rapid.Float64Range(-1, 1).Draw(t, "x"), float64(s - 1)})
			if err != nil {
				t.Fatal(err)
			}
			c := Context{From: s, To: s}
			l.AddMask(units, Mask{Context: c, Purpose: ForPad})
			l.Add(want, units)
			for i, lane := range l.Lanes(units, count, [32]byte{byte(s)}, c) {
				if s == 0 {
					totals[i] = make([]uint64, l.Words())
				}
				l.Add(totals[i], lane)
			}
		}
		got, err := l.JoinLanes(totals)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("lanes add up to %d, %v, want %d", got, err, want)
		}
	})
}

// All lanes but the last are independent random vectors, and these hide the last one. With only
// one lane, it is the vector itself.
func TestLanesDiffer(t *testing.T) {
	for _, a := range arithmetics {
		l := mustLayout(t, a, 3, collabdict.Block{Len: 1, Bound: 1})
		units := make([]uint64, l.Words())
		seen := map[string]bool{}
		for slot := range uint64(2) {
			for _, lane := range l.Lanes(units, 8, [32]byte{1}, Context{Slot: slot}) {
				seen[fmt.Sprint(lane)] = true
			}
		}
		if len(seen) != 16 {
			t.Errorf("%s: %d different lanes, want 16", a, len(seen))
		}
	}
}

func TestLanesOfAFloatSession(t *testing.T) {
	l := mustLayout(t, Float, 2, collabdict.Block{Len: 1, Bound: 1})
	totals := make([][]uint64, MaxFanout)
	for s := range 2 {
		units, err := l.Encode([]float64{0.25})
		if err != nil {
			t.Fatal(err)
		}
		for i, lane := range l.Lanes(units, len(totals), [32]byte{byte(s)}, Context{From: s}) {
			back, err := l.FromSession(l.ToSession(lane))
			if err != nil {
				t.Fatal(err)
			}
			if s == 0 {
				totals[i] = make([]uint64, 1)
			}
			l.Add(totals[i], back)
		}
	}
	units, err := l.JoinLanes(totals)
	if err != nil {
		t.Fatal(err)
	}
	if total, err := l.Open(units, nil); err != nil || total[0] < 0.4999 || total[0] > 0.5001 {
		t.Errorf("total %v, %v, want 0.5", total, err)
	}
}

// The totals of any threshold lanes give the units of the sum.
func TestAnyThresholdOfLanesGivesTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 12).Draw(t, "lanes")
		threshold := rapid.IntRange(1, count).Draw(t, "threshold")
		want, totals := make([]uint64, 3), make([][]uint64, count)
		for s := range 4 {
			units := rapid.SliceOfN(fieldElement(), 3, 3).Draw(t, "units")
			Field.add(want, units)
			for i, lane := range Split(units, threshold, count, [32]byte{byte(s)}, Context{From: s}) {
				if s == 0 {
					totals[i] = make([]uint64, 3)
				}
				Field.add(totals[i], lane)
			}
		}
		for _, failed := range rapid.Permutation(indices(count)).Draw(t, "order")[:count-threshold] {
			totals[failed] = nil
		}
		got, err := Join(totals, threshold)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d of %d lanes give %d, %v, want %d", threshold, count, got, err, want)
		}
		if _, err := Join(totals, threshold+1); err == nil {
			t.Errorf("%d lanes give a total that needs %d", threshold, threshold+1)
		}
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// The lanes are values of one polynomial: its differences of order threshold are zero, and
// those of order threshold-1 are not.
func TestLanesHaveTheDegreeOfTheirThreshold(t *testing.T) {
	const threshold, count = 4, 9
	lanes := Split([]uint64{12345}, threshold, count, [32]byte{7}, Context{})
	values := []uint64{12345} // at zero
	for _, lane := range lanes {
		values = append(values, lane[0])
	}
	for order := 1; order <= threshold; order++ {
		for i := range len(values) - 1 {
			values[i] = FieldSub(values[i+1], values[i])
		}
		values = values[:len(values)-1]
		for _, v := range values {
			if (v == 0) != (order == threshold) {
				t.Errorf("a difference of order %d is %d", order, v)
			}
		}
	}
}

func TestWeightsAgainstBigRat(t *testing.T) {
	points := []uint64{1, 3, 4, 8}
	for _, l := range points {
		want := big.NewRat(1, 1)
		for _, j := range points {
			if j != l {
				want.Mul(want, big.NewRat(int64(j), int64(j)-int64(l)))
			}
		}
		p := big.NewInt(Prime)
		inverse := new(big.Int).ModInverse(want.Denom(), p)
		inverse.Mul(inverse, want.Num()).Mod(inverse, p)
		if got := weightAtZero(l, points); got != inverse.Uint64() {
			t.Errorf("weight of %d is %d, want %s", l, got, want)
		}
	}
}

func TestJoinRefusesBadLanes(t *testing.T) {
	for name, totals := range map[string][][]uint64{
		"none":       nil,
		"one":        {nil, {1, 2}},
		"lengths":    {{1, 2}, {1}},
		"no element": {{1, 2}, {1, Prime}},
	} {
		if _, err := Join(totals, 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Join([][]uint64{{1}}, 0); err == nil {
		t.Error("a threshold of 0 is taken")
	}
	l := mustLayout(t, Field, 3, collabdict.Block{Len: 1, Bound: 1})
	if _, err := l.JoinLanes([][]uint64{{0, 0}, {Prime, 0}}); err == nil {
		t.Error("lanes with words that are not in the field are joined")
	}
}
