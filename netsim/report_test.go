package netsim

import (
	"reflect"
	"testing"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// The report attributes all traffic up to the last decision to slots, and gives the times of
// decisions, absences and faults.
func TestReportHasTrafficAndTimes(t *testing.T) {
	c := config(5)
	c.Settings.Scheme = consensus.Exact
	c.Compute = time.Second
	c.Faults = []Fault{
		Partition{Sides: [][]int{{0, 1, 2}, {3}}, When: When{Round: 3, At: time.Second, For: 2 * time.Second}},
		Loss{Rate: 0.001},
		Crash{Member: 4, When: When{Round: 2, At: 100 * time.Millisecond, For: 20 * time.Second}},
		Slow{Member: 0, Factor: 2, When: When{At: 1000 * time.Hour}},
	}
	net, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	n := newCounts(5)
	r, err := net.Run(t.Context(), n.part(8))
	if err != nil {
		t.Fatal(err)
	}
	var messages, all int64
	last := time.Duration(0)
	for i, s := range r.Slots {
		if s.Decision.Slot != uint64(i) || s.At < last || s.Messages < 0 || s.Bytes <= 0 {
			t.Errorf("slot %d: %+v", i, s)
		}
		last = s.At
		messages += s.Messages
	}
	for _, m := range r.Members {
		all += m.Messages
	}
	if len(r.Slots) != len(r.Members[0].Decisions) || messages > all || messages < all*9/10 || net.Now() != last || last > r.Virtual {
		t.Errorf("%d slots, %d of %d messages, last at %s, now %s, virtual %s", len(r.Slots), messages, all, last, net.Now(), r.Virtual)
	}
	if down := r.Members[4].Down; len(down) != 1 || down[0].To-down[0].From != 20*time.Second || r.Members[0].Down != nil {
		t.Errorf("down %v and %v", down, r.Members[0].Down)
	}
	if len(r.Faults) != 2 { // the loss, and the partition
		t.Fatalf("faults %+v", r.Faults)
	}
	if whole := (Span{0, r.Virtual}); !reflect.DeepEqual(r.Faults[0], Episode{c.Faults[1], whole}) {
		t.Errorf("got %+v, want the loss all the time", r.Faults[0])
	}
	if p := r.Faults[1]; !reflect.DeepEqual(p.Fault, c.Faults[0]) || p.To-p.From != 2*time.Second {
		t.Errorf("got %+v, want the partition for 2 s", p)
	}
}

func TestANetworkIsForOneRun(t *testing.T) {
	net, err := New(config(3))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Run(t.Context(), twoSums(make([][]float64, 3))); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("ran again")
		}
	}()
	_, _ = net.Run(t.Context(), twoSums(make([][]float64, 3)))
}
