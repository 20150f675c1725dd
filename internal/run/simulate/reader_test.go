package simulate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/attack/differencing"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
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
	window  int                                               // of rows, 0 for none or one that is found
	again   bool                                              // a second run follows, without the last member
}

func (c cell) String() string {
	s := fmt.Sprintf("%s %v, %d members", c.kind, c.options, c.members)
	for _, l := range c.lost {
		s += fmt.Sprintf(", %d lost in slot %d", l.Member, l.Slot)
		if l.RestartAfter > 0 {
			s += fmt.Sprintf(" and back after %s", l.RestartAfter)
		}
	}
	if c.ranges {
		s += ", agreed ranges"
	}
	if c.change != nil {
		s += ", other rows"
	}
	if c.again {
		s += ", given up, and a new run without it"
	}
	return s
}

// worlds runs the worlds of the cell under some conditions.
func (c cell) worlds(t testing.TB, under Conditions, k *pipeline.Task) *differencing.Worlds {
	t.Helper()
	if !c.again || len(under.stops) == 0 {
		all, err := under.worlds(t.Context(), k, c.draw, c.members, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := differencing.NewWorlds(c.members, 0)
	for i := range Worlds {
		parts, err := c.draw(i)
		if err != nil {
			t.Fatal(err)
		}
		of, err := under.world(t.Context(), k, parts, i)
		if err != nil {
			t.Fatal(err)
		}
		next, err := (Conditions{}).world(t.Context(), c.task(t), parts[:c.members-1], i+Worlds)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range next.Slots {
			s.Run, s.Vectors = 1, append(slices.Clone(s.Vectors), nil)
			of.Slots = append(of.Slots, s)
		}
		all.Add(of)
	}
	return all
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
		if c.kind == "cgau" { // a classifier
			parts[m].TrainLabels, parts[m].ClassLabels = labels, true
			parts[m].Test, parts[m].TestLabels = parts[m].Train, labels
		}
		for i := range c.columns {
			parts[m].Columns = append(parts[m].Columns, fmt.Sprintf("c%d", i))
		}
	}
	return dataset.Window(parts, c.window), nil
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
	all := c.worlds(t, under, k)
	var whole *differencing.Worlds
	if len(c.lost) > 0 {
		whole = c.worlds(t, Conditions{}, c.task(t))
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

// mixture returns a cell of a mixture with few components.
func mixture(kind string, more ...string) cell {
	options := append([]string{"components=3", "tol=0"}, more...)
	switch {
	case kind != "ggm":
		options = append(options, "covariance=full")
	case !slices.Contains(more, "standardise=auto"): // which needs a choice of penalties
		options = append(options, "lambda=0.1")
	}
	return cell{kind: kind, options: options, members: 5, columns: 2}
}

// with returns the cell with a number of members, some lost.
func (c cell) with(members int, lost ...netsim.Stop) cell {
	c.members, c.lost = members, lost
	return c
}

// of returns the cell with other rows in more columns, for which only rows are looked for.
func (c cell) of(columns int, change func(int, *mat.Dense, *rand.Rand)) cell {
	c.columns, c.change, c.rows = columns, change, true
	return c
}

// agreed returns the cell with agreed ranges.
func (c cell) agreed() cell {
	c.ranges = true
	return c
}

func stop(member int, slot uint64) netsim.Stop { return netsim.Stop{Member: member, Slot: slot} }

func back(member int, slot uint64) netsim.Stop {
	return netsim.Stop{Member: member, Slot: slot, RestartAfter: lostFor}
}

// anew returns the cell with a run that is given up after its last member was lost, and a new run of
// the others.
func (c cell) anew() cell {
	c.again = true
	return c
}

// windowed returns the cell with windows of w rows.
func (c cell) windowed(w int) cell {
	c.options, c.window = append(slices.Clone(c.options), fmt.Sprintf("window=%d", w)), w
	return c
}

// orderSlot is the slot in which the members count those with rows in time order.
const orderSlot = nonceSlots

// finding returns the cell with a window to be found, and rows in time order at all members but the
// first two.
func (c cell) finding() cell {
	c.options = append(slices.Clone(c.options), "window=auto")
	c.change = func(member int, x *mat.Dense, _ *rand.Rand) {
		if n, dim := x.Dims(); member > 1 {
			all := mat.DenseCopyOf(x)
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(all.At(a, 0), all.At(b, 0)) })
			for i, from := range order {
				x.SetRow(i, all.RawRowView(from)[:dim])
			}
		}
	}
	return c
}

// cells are those that the tests run.
var cells = map[string]cell{
	"ggm, lost for good":     mixture("ggm", "standardise=own", "components=8", "rounds=4", "seed=2").with(5, stop(4, 6)),
	"ggm, back alone":        mixture("ggm", "standardise=global", "rounds=12").with(4, back(3, 9)),
	"ggm, both scales":       mixture("ggm", "standardise=auto", "rounds=8").with(5, back(4, 10)),
	"dem, lost":              mixture("dem", "standardise=global", "rounds=8").with(5, stop(4, 7)),
	"ggm, missing cells":     mixture("ggm", "standardise=own", "rounds=8", "missing=marginal", "consensus.scheme=exact").of(6, lacking).with(4),
	"ggm, window found":      mixture("ggm", "standardise=own", "rounds=6").finding().with(6, back(5, orderSlot)),
	"ggm, a constant column": mixture("ggm", "rounds=30", "consensus.scheme=exact").agreed().of(6, constant).with(4),
	"bvae":                   {kind: "bvae", options: []string{"latent=1", "hidden=2", "batch=20", "rate=0.01", "epochs=1", "rounds=4", "standardise=global", "normalise=minmax"}, members: 4, columns: 2},
}

// everyCell returns a cover of the settings of all kinds: scalings, schemes, numbers of members and
// treatments of cells. For ggm and dem, a member is lost in every slot of the start and of ten
// rounds. Up to its first running total, such a run waits for that member for ever.
func everyCell() map[string]cell {
	all := maps.Clone(cells)
	add := func(c cell) { all[c.String()] = c }
	for _, kind := range []string{"ggm", "dem"} {
		for slot := uint64(nonceSlots); slot < 30; slot++ {
			scaling := []string{"own", "global", "none", "auto"}[slot/2%4]
			scheme := []string{"laplacian", "exact"}[slot/3%2]
			c := mixture(kind, "rounds=10", "standardise="+scaling, "consensus.scheme="+scheme)
			switch members := 4 + int(slot%3); slot % 4 {
			case 0, 1:
				add(c.with(members, stop(members-1, slot)))
			case 2:
				add(c.with(members, back(members-1, slot)))
			case 3:
				add(c.with(6, back(5, slot), back(4, slot+1)))
			}
		}
		add(mixture(kind, "rounds=4", "components=1").with(5, stop(4, 8)))
		add(mixture(kind, "rounds=4", "standardise=global", "normalise=robust").with(4))
		add(mixture(kind, "rounds=4", "standardise=global", "normalise=robust").with(5, stop(4, 4)))
		add(mixture(kind, "rounds=4", "standardise=global").with(5, stop(4, 4)).anew())
		add(mixture(kind, "rounds=4", "standardise=global").with(5, stop(4, 5)).anew())
		add(mixture(kind, "rounds=6").agreed().with(5, stop(4, 6)))
		add(mixture(kind, "rounds=6", "standardise=own").windowed(5).with(4, stop(3, 7)))
		add(mixture(kind, "rounds=6", "standardise=global").finding().with(6, back(5, orderSlot)))
		add(mixture(kind, "rounds=6", "standardise=own").finding().with(6, back(5, orderSlot), back(0, orderSlot+3)))
		add(mixture(kind, "rounds=12", "standardise=own").with(3, back(2, 7)))
		add(mixture(kind, "rounds=8", "standardise=own").with(6, stop(5, 6), stop(4, 10)))
	}
	add(mixture("ggm", "rounds=4", "standardise=auto").with(5, back(4, 4)))
	add(mixture("ggm", "rounds=4", "standardise=auto").with(5, stop(4, 5)).anew())
	add(mixture("ggm", "rounds=12", "standardise=own", "components=8").with(5, stop(4, 7)))
	add(mixture("ggm", "rounds=12", "standardise=own", "components=8").with(5, stop(4, 16)))
	add(mixture("ggm", "rounds=12", "standardise=own", "components=8").with(5, stop(4, 19)))
	add(mixture("ggm", "rounds=8", "standardise=own", "missing=marginal").of(6, lacking).with(4))
	add(mixture("ggm", "rounds=8", "standardise=global", "missing=marginal").of(6, lacking).with(5))
	add(mixture("ggm", "rounds=20", "standardise=none", "consensus.scheme=exact").of(6, constant).with(4))
	for kind, options := range map[string][]string{
		"fedgen": {"standardise=global"},
		"fedgem": {"standardise=global", "rounds=4"},
		"bvae":   {"latent=1", "hidden=2", "batch=20", "rate=0.01", "epochs=1", "rounds=4", "standardise=global", "normalise=minmax"},
		"mtvae":  {"latent=1", "hidden=2", "batch=20", "local-steps=2", "rate=0.01", "rounds=4", "standardise=own"},
		"cgau":   {"hidden=2", "batch=20", "rate=0.01", "rounds=4", "classes=3", "standardise=own"},
	} {
		c := cell{kind: kind, options: options, members: 5, columns: 2}
		add(c)
		add(c.with(5, stop(4, 5)))
		add(c.with(5, back(4, 3)))
	}
	return all
}

// lacking takes a cell out of a row of one member.
func lacking(member int, x *mat.Dense, _ *rand.Rand) {
	if member == 2 {
		x.Set(11, 0, math.NaN())
	}
}

func constant(_ int, x *mat.Dense, _ *rand.Rand) {
	n, _ := x.Dims()
	for j := range n {
		x.Set(j, 0, 50)
	}
}

// shown returns the readings that tell more than a component of one member does in any case, and
// more than the kind's disclosure lists. It also returns whether more rows are read than by chance.
func (r read) shown(of *pipeline.Task) (readings []differencing.Reading, rows bool) {
	counts := of.Conserved() == algorithm.RowCounts.String()
	// A frame ends with counts of the members with each power of two.
	framed := slices.ContainsFunc(of.Inventory(collabdict.Solo{}), func(i algorithm.Item) bool { return i.Entry == columnstats.FrameEntry })
	for _, x := range r.readings {
		if !x.Lone && !(counts && x.Quantity == "N") && !(framed && strings.HasSuffix(x.Quantity, differencing.WithoutMoments)) {
			readings = append(readings, x)
		}
	}
	return readings, r.rows.Rows > r.rows.Chance+int(3*math.Sqrt(float64(r.rows.Chance+1)))
}

// No reader finds a private quantity or a row of another member in a real task. With
// testkit.Full, it tries all cells and prints a table of them.
func TestReader(t *testing.T) {
	testkit.SkipRaced(t)
	testkit.LongOnly(t)
	table, all := testkit.Full, cells
	if table {
		all = everyCell()
		fmt.Println("| cell | readings | lone | by chance | rows | by chance | blocks without a grid | s |\n|---|---|---|---|---|---|---|---|")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			r := all[name].read(t)
			readings, rows := r.shown(all[name].task(t))
			if table {
				fmt.Printf("| %s | %d | %d | %d | %d of %d | %d | %d | %.0f |\n", name, len(readings), len(r.readings)-len(readings), r.chance, r.rows.Rows, r.rows.Of, r.rows.Chance, len(r.faults), (r.ran + r.searched).Seconds())
			}
			for _, x := range readings {
				t.Errorf("%s of member %d is %s: r %.6f, off by %.2g of its deviation", x.Quantity, x.Member, x.Words, x.R, x.Error)
			}
			if rows {
				t.Errorf("%d of %d rows are read, %d by chance", r.rows.Rows, r.rows.Of, r.rows.Chance)
			}
			t.Logf("%s: ran %s, searched %s; %d readings of lone components, %d by chance; %d rows, %d by chance; %s", all[name], r.ran, r.searched, len(r.readings)-len(readings), r.chance, r.rows.Rows, r.rows.Chance, faultsOf(r.faults))
		})
	}
}

// faultsOf counts blocks without a grid, by running total and fault.
func faultsOf(all []differencing.Fault) string {
	n := map[string]int{}
	for _, f := range all {
		n[fmt.Sprintf("%q, moment %d: %s", f.Key, f.Moment, f.What)]++
	}
	s := fmt.Sprintf("%d blocks without a grid", len(all))
	for _, k := range slices.Sorted(maps.Keys(n)) {
		s += fmt.Sprintf("; %d times %s", n[k], k)
	}
	return s
}
