package node

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/journal/store"
)

// hoursVariable gives the hours of virtual time for TestADay. A day takes ten minutes.
const hoursVariable = "COLLABDICT_SIMULATED_HOURS"

// held is the memory and disk space of six nodes in one process.
type held struct {
	heap       uint64 // bytes in use after a garbage collection
	goroutines int
	state      int64 // bytes of the largest file
}

// Six nodes run for a day. Once per hour one of them is disconnected for six minutes. Their
// memory does not grow.
func TestADay(t *testing.T) {
	hours, err := strconv.Atoi(os.Getenv(hoursVariable))
	if err != nil || hours < 3 {
		t.Skipf("set %s to a number of hours, at least 3: a day takes ten minutes", hoursVariable)
	}
	const size = 6
	simulate(t, 20*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, size)
		nodes := s.start(t, configs...)
		ctx, cancel := context.WithCancel(t.Context())
		learners := make([]*learner, size)
		for i, n := range nodes {
			l := &learner{script{rounds: 1 << 20, update: func() { pass(30 * time.Second) }}, make(chan error, 1)}
			go func() { l.ended <- l.run(ctx, n, nil) }()
			learners[i] = l
		}
		var all []held
		for hour := range hours {
			pass(53 * time.Minute)
			sides := make([]int, size)
			sides[hour%size] = 1
			s.part(sides...)
			pass(6 * time.Minute)
			if absent := nodes[(hour+1)%size].Status().Absent; len(absent) != 1 {
				t.Errorf("hour %d: one member is cut off, and %d are absent", hour+1, len(absent))
			}
			s.heal()
			pass(time.Minute)
			h := measure(t, configs)
			all = append(all, h)
			t.Logf("hour %d: round %d, heap %.1f MiB, %d goroutines, state %.2f MiB",
				hour+1, nodes[0].Answer().Round, float64(h.heap)/(1<<20), h.goroutines, float64(h.state)/(1<<20))
		}
		last := nodes[0].Answer().Round
		for i, n := range nodes {
			if st := n.Status(); len(st.Absent) > 0 || n.Answer().Round+1 < last {
				t.Errorf("member %d has ended round %d and lacks %v, the first has ended %d", i, n.Answer().Round, st.Absent, last)
			}
		}
		checkFlat(t, all)
		cancel()
		for _, l := range learners {
			<-l.ended
		}
	})
}

func measure(t *testing.T, configs []Config) (h held) {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.heap, h.goroutines = m.HeapAlloc, runtime.NumGoroutine()
	for _, c := range configs {
		info, err := os.Stat(filepath.Join(c.Dir, store.StateFile))
		if err != nil {
			t.Fatal(err)
		}
		h.state = max(h.state, info.Size())
	}
	return h
}

// checkFlat compares the median of the last third with that of the second.
func checkFlat(t *testing.T, all []held) {
	t.Helper()
	for name, of := range map[string]func(held) float64{
		"heap":       func(h held) float64 { return float64(h.heap) },
		"goroutines": func(h held) float64 { return float64(h.goroutines) },
	} {
		median := func(third int) float64 {
			var values []float64
			for _, h := range all[third*len(all)/3 : (third+1)*len(all)/3] {
				values = append(values, of(h))
			}
			slices.Sort(values)
			return values[len(values)/2]
		}
		if before, after := median(1), median(2); after > 1.1*before {
			t.Errorf("%s: %g in the second third, %g in the last", name, before, after)
		}
	}
}
