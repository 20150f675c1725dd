package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/attack/differencing"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/pipeline"
	"github.com/collabdict/collabdict/internal/pipelinetest"
	"github.com/collabdict/collabdict/internal/rows"
	"github.com/collabdict/collabdict/netsim"
)

// cell is one way of running a task, with members that are lost at some point.
type cell struct {
	kind    string
	options []string
	members int
	columns int
	lost    []netsim.Stop
	change  func(member int, x *mat.Dense, random *rand.Rand) // of a member's rows, or nil
	rows    bool                                              // only rows are looked for, in more columns
	ranges  bool                                              // agreed ranges
}

func (c cell) String() string {
	s := fmt.Sprintf("%s %v, %d members", c.kind, c.options, c.members)
	for _, l := range c.lost {
		s += fmt.Sprintf(", %d lost in slot %d", l.Member, l.Slot)
		if l.RestartAfter > 0 {
			s += fmt.Sprintf(" and back after %s", l.RestartAfter)
		}
	}
	return s
}

func (c cell) task(t testing.TB) *pipeline.Task {
	t.Helper()
	k := pipelinetest.With(t, c.kind, append([]string{"seed=1"}, c.options...)...)
	if c.ranges {
		k.Ranges = pipeline.Ranges{"*": {-100, 100}}
	}
	if err := k.Complete(); err != nil {
		t.Fatal(err)
	}
	return k
}

// draw returns the rows of a world. All members have rows of the same patterns, in other shares;
// their numbers, means and deviations vary from member to member and from world to world.
func (c cell) draw(world int) ([]dataset.Participant, error) {
	random := rand.New(rand.NewPCG(uint64(world), 11))
	centres := [][2]float64{{-3, 2}, {0, -3}, {3, 2}}
	parts := make([]dataset.Participant, c.members)
	for m := range parts {
		n := 60 + random.IntN(25)
		shares := []float64{1 + 0.6*random.Float64(), 1 + 0.6*random.Float64(), 1 + 0.6*random.Float64()}
		shift, spread := make([]float64, c.columns), make([]float64, c.columns)
		for i := range shift {
			shift[i], spread[i] = 0.3*random.NormFloat64(), math.Exp(0.1*random.NormFloat64())
		}
		x := mat.NewDense(n, c.columns, nil)
		labels := make([]float64, n)
		for j := range n {
			u, k := random.Float64()*(shares[0]+shares[1]+shares[2]), 0
			for k < 2 && u > shares[k] {
				u -= shares[k]
				k++
			}
			labels[j] = float64(k)
			for i := range c.columns {
				x.Set(j, i, centres[k][i%2]+shift[i]+spread[i]*random.NormFloat64())
			}
		}
		if c.change != nil {
			c.change(m, x, random)
		}
		parts[m] = dataset.Participant{Name: fmt.Sprintf("m%d", m), Train: rows.InMemory(x)}
		for i := range c.columns {
			parts[m].Columns = append(parts[m].Columns, fmt.Sprintf("c%d", i))
		}
	}
	return parts, nil
}

type read struct {
	readings      []differencing.Reading
	faults        []differencing.Fault
	chance        int
	rows          differencing.Findings
	ran, searched time.Duration
}

// read runs the worlds of a cell, and those without the loss if there is one.
func (c cell) read(t testing.TB) (r read) {
	t.Helper()
	began := time.Now()
	k := c.task(t)
	under := Conditions{}
	for _, s := range c.lost {
		under.stops = append(under.stops, s)
	}
	all, err := under.worlds(t.Context(), k, c.draw, c.members, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	var whole *differencing.Worlds
	if len(c.lost) > 0 {
		if whole, err = (Conditions{}).worlds(t.Context(), c.task(t), c.draw, c.members, []int{0}); err != nil {
			t.Fatal(err)
		}
	}
	r.ran = time.Since(began)
	if !c.rows {
		r.readings, r.chance = all.Read(whole)
	}
	r.faults, r.rows = all.Faults(), all.Rows()
	r.searched = time.Since(began) - r.ran
	return r
}

// lostFor is the time after which a member that comes back does so.
const lostFor = 30 * time.Second

// real are cells of today's tasks: what a reader finds in them must be nothing.
var real = map[string]cell{
	"ggm, lost for good":     {kind: "ggm", options: []string{"standardise=own", "components=8", "lambda=0.1", "rounds=4", "tol=0"}, members: 5, columns: 2, lost: []netsim.Stop{{Member: 4, Slot: 5}}},
	"ggm, back alone":        {kind: "ggm", options: []string{"standardise=global", "components=3", "lambda=0.1", "rounds=30", "tol=0"}, members: 4, columns: 2, lost: []netsim.Stop{{Member: 3, Slot: 8, RestartAfter: lostFor}}},
	"dem, lost":              {kind: "dem", options: []string{"standardise=global", "components=3", "covariance=full", "rounds=8", "tol=0"}, members: 5, columns: 2, lost: []netsim.Stop{{Member: 4, Slot: 6}}},
	"ggm, missing cells":     {kind: "ggm", options: []string{"standardise=own", "components=3", "lambda=0.1", "rounds=8", "tol=0", "missing=marginal", "consensus.scheme=exact"}, members: 4, columns: 6, rows: true, change: lacking},
	"ggm, a constant column": {kind: "ggm", options: []string{"components=3", "lambda=0.1", "rounds=30", "tol=0", "consensus.scheme=exact"}, members: 4, columns: 6, rows: true, ranges: true, change: constant},
	"fedgen":                 {kind: "fedgen", options: []string{"standardise=global"}, members: 4, columns: 2},
}

// lacking takes a cell out of some rows of one member.
func lacking(member int, x *mat.Dense, _ *rand.Rand) {
	for column := range 3 {
		if member == 2 {
			x.Set(11+7*column, column, math.NaN())
		}
	}
}

func constant(_ int, x *mat.Dense, _ *rand.Rand) {
	n, _ := x.Dims()
	for j := range n {
		x.Set(j, 0, 50)
	}
}

// No reader finds a private quantity or a row of another member in a real task.
func TestReader(t *testing.T) {
	for name, c := range real {
		t.Run(name, func(t *testing.T) {
			r := c.read(t)
			t.Logf("%s: ran %s, searched %s; %d readings, %d by chance, rows %+v, %d faults of the grid", c, r.ran, r.searched, len(r.readings), r.chance, r.rows, len(r.faults))
			for _, x := range r.readings {
				t.Logf("%+v", x)
			}
			for _, x := range r.faults {
				t.Logf("%+v", x)
			}
		})
	}
}
