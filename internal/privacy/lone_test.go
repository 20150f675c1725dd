package privacy

import (
	"slices"
	"strings"
	"testing"
)

func TestLone(t *testing.T) {
	own := []float64{40, 98, 0.5, 0, 1, 99.5}
	all := []float64{100, 100, 0.5, 0, 1, 99.9}
	if got := Lone(own, all); !slices.Equal(got, []int{4, 5}) {
		t.Error(got)
	}
	if got := Lone(nil, all); got != nil {
		t.Errorf("of a participant that is in no total: %v", got)
	}
	if got := LoneWarnings([]int{0, 3, 4}); len(got) != 1 || !strings.Contains(got[0], "1, 4, 5") {
		t.Error(got)
	}
	if got := LoneWarnings(nil); got != nil {
		t.Error(got)
	}
}

// A component is unmoved from the first total on after which its number of rows changes by no more
// than noise and a hundredth. Small steps that add up are a change.
func TestUnmoved(t *testing.T) {
	var u Unmoved
	for round, rows := range [][]float64{
		{40, 100, 10, 100, 50, 0.2},
		{40.3, 90, 10, 101, 50, 0.2},
		{40.2, 80, 10, 102, 50, 0.2},
		{40.1, 80.1, 10, 103, 50, 0.2},
	} {
		u = u.Next(rows, 0.1, round)
	}
	for _, c := range []struct {
		own, want []float64
	}{
		{nil, []float64{0, 2, 0, 2, 0, -1}},
		{[]float64{0.2, 0, 9, 2, 0.4, 0}, []float64{0, 2, -1, -1, 0, -1}},
	} {
		var got []float64
		for _, round := range u.Since(c.own) {
			got = append(got, float64(round))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("own rows %v: got %v, want %v", c.own, got, c.want)
		}
	}
}

// A group of components is unmoved since all of them are.
func TestUnmovedOfGroups(t *testing.T) {
	var u Unmoved
	for round, rows := range [][]float64{{40, 100, 10}, {40, 90, 10}, {40, 80, 10}} {
		u = u.Next(rows, 0, round)
	}
	joined := u.Joined([][]int{{0, 2}, {1}})
	for i, c := range []struct{ own, want []float64 }{
		{nil, []float64{0, 2}},
		{[]float64{1, 0}, []float64{-1, 2}},
	} {
		for k, since := range joined.Since(c.own) {
			if float64(since) != c.want[k] {
				t.Errorf("case %d, group %d: unmoved since round %d, want %g", i+1, k+1, since, c.want[k])
			}
		}
	}
	both := u.Joined([][]int{{0, 1}})
	if since := both.Since(nil); since[0] != 2 {
		t.Errorf("a group with a component that moves: unmoved since round %d, want 2", since[0])
	}
}
