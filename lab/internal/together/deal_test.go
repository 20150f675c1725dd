package together

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// made returns rows whose first value is their number. Every tenth row is an anomaly. Every second
// row is a test row, if the kind marks test rows.
func made(k kind, n int) (all []row) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		r := row{x: []float64{float64(i), rng.NormFloat64(), 5 * rng.Float64()}, anomaly: i%10 == 9}
		switch k {
		case machines, fleets:
			r.owner, r.test = i*4/n, i%2 == 1 // all anomalies are test rows
		case regions:
			r.owner = i % 4
		}
		all = append(all, r)
	}
	return all
}

func TestDeal(t *testing.T) {
	for _, kind := range []kind{dealt, machines, regions, fleets} {
		s := &set{name: "made", kind: kind, files: make([]string, 4)}
		for _, way := range s.ways() {
			t.Run(fmt.Sprint(kind, way), func(t *testing.T) {
				all := made(kind, 3000)
				got, err := s.deal(all, way, 2000, 7)
				if err != nil {
					t.Fatal(err)
				}
				again, err := s.deal(made(kind, 3000), way, 2000, 7)
				if err != nil || !reflect.DeepEqual(got, again) {
					t.Error("the same seed deals different rows")
				}
				if other, err := s.deal(all, way, 2000, 8); err != nil || reflect.DeepEqual(got, other) {
					t.Error("another seed deals the same")
				}
				checkHands(t, got, 2000)
			})
		}
	}
}

func checkHands(t *testing.T, all []hand, most int) {
	t.Helper()
	seen := map[float64]bool{}
	count := 0
	for i, h := range all {
		if len(h.train) < 100 || !h.both() {
			t.Errorf("participant %d has %d rows to train on, both classes to test: %t", i, len(h.train), h.both())
		}
		for _, r := range h.train {
			if r.anomaly {
				t.Errorf("participant %d trains on an anomaly", i)
			}
		}
		for _, rows := range [][]row{h.train, h.test} {
			for _, r := range rows {
				if seen[r.x[0]] {
					t.Errorf("row %g is dealt twice", r.x[0])
				}
				seen[r.x[0]] = true
			}
			count += len(rows)
		}
	}
	if count > most {
		t.Errorf("%d rows are dealt, more than %d", count, most)
	}
}

// Training rows of a machine follow each other, even if they are few.
func TestBlocks(t *testing.T) {
	s := &set{kind: machines, files: make([]string, 4)}
	all, err := s.deal(made(machines, 3000), natural, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range first(all, 20) {
		if len(h.train) != 20 || h.train[19].x[0]-h.train[0].x[0] != 2*19 {
			t.Errorf("trained on %d rows from %g to %g", len(h.train), h.train[0].x[0], h.train[len(h.train)-1].x[0])
		}
	}
}

// The shares of clusters differ among participants, unless rows are dealt evenly.
func TestClustersDiffer(t *testing.T) {
	var all []row
	for i := range 2000 {
		all = append(all, row{x: []float64{float64(i % 10), 0}, anomaly: i < 10})
	}
	spread := func(way string) (most float64) {
		hands, err := (&set{}).deal(all, way, len(all), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hands {
			share := 0.0
			for _, r := range h.train {
				if r.x[0] == 3 {
					share += 1 / float64(len(h.train))
				}
			}
			most = max(most, share)
		}
		return most
	}
	if even, unlike := spread(evenly), spread(clusters); even > 0.15 || unlike < 0.2 {
		t.Errorf("most rows of one cluster: a share of %.2f evenly, %.2f by clusters", even, unlike)
	}
}

func TestDealOfTooFew(t *testing.T) {
	for _, n := range []int{0, 3, 9} {
		if _, err := (&set{name: "few"}).deal(made(dealt, n), evenly, 100, 1); err == nil {
			t.Errorf("%d rows are dealt", n)
		}
	}
}
