package session

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/internal/testkit"
)

func laplacian(t tb, size int, step Step, kind graph.Kind, degree int, reach float64) *Laplacian {
	t.Helper()
	p, err := NewLaplacian(size, step, kind, degree, reach)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// disagreement returns ‖x-x̄‖₂ over all vertices and coordinates.
func disagreement(sessions []Session) float64 {
	var xs [][]uint64
	for _, s := range sessions {
		xs = append(xs, Values(s)...)
	}
	square := 0.0
	for i := range xs[0] {
		mean := 0.0
		for _, x := range xs {
			mean += math.Float64frombits(x[i]) / float64(len(xs))
		}
		for _, x := range xs {
			d := math.Float64frombits(x[i]) - mean
			square += d * d
		}
	}
	return math.Sqrt(square)
}

// iterations runs the sessions and returns the number of iterations after which the
// disagreement was at most reach times the initial one.
func iterations(t *testing.T, sessions []Session, reach float64) int {
	t.Helper()
	initial, reached := disagreement(sessions), 0
	_, err := Lockstep(sessions, func(step int) {
		if reached == 0 && disagreement(sessions) <= reach*initial {
			reached = step
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return reached
}

// The predictions are upper bounds, which standard normal vectors nearly reach.
func TestIterationsAreAsPredicted(t *testing.T) {
	const reach = 1e-9
	for _, step := range []Step{Chebyshev, Optimal, Metropolis, Paper} {
		for _, size := range []int{5, 8, 16, 31, 32, 64, 127, 256} {
			if step == Paper && (size > 127 || !testkit.Long && size > 16) {
				continue // thousands of iterations
			}
			predicted := laplacian(t, size, step, graph.HamiltonCycles, 4, reach).Rounds()
			longer := laplacian(t, size, step, graph.HamiltonCycles, 4, reach/10)
			rng := rand.New(rand.NewPCG(uint64(size), 1))
			measured := iterations(t, open(rng, longer, normal(rng, size, 4)), reach)
			t.Logf("%s of %d: %d iterations, predicted %d", step, size, measured, predicted)
			least, most := int(math.Ceil(0.6*float64(predicted))), predicted
			if step == Chebyshev {
				least, most = predicted-2, predicted+2
			}
			if measured < least || measured > most {
				t.Errorf("%s of %d: %d iterations, predicted %d", step, size, measured, predicted)
			}
		}
	}
}

// The remaining disagreement is at most the predicted one. The totals are those of exact sums
// within the stated tolerance, which is at most a few hundred times the measured difference.
func TestTotalsAreWithinTheTolerance(t *testing.T) {
	for _, c := range []struct {
		size  int
		step  Step
		kind  graph.Kind
		reach float64
	}{
		{5, Chebyshev, graph.HamiltonCycles, 1e-9},
		{31, Chebyshev, graph.HamiltonCycles, 1e-9},
		{31, Chebyshev, graph.HamiltonCycles, 1e-20}, // rounding decides
		{64, Optimal, graph.HamiltonCycles, 1e-20},
		{32, Metropolis, graph.HamiltonCycles, 1e-20},
		{8, Paper, graph.HamiltonCycles, 1e-20},
		{20, Chebyshev, graph.Ring, 1e-20},
		{20, Chebyshev, graph.InverseChord, 1e-6}, // 23 vertices
		{24, Optimal, graph.InverseChord, 1e-20},  // 29 vertices
		{25, Chebyshev, graph.Margulis, 1e-20},
	} {
		p := laplacian(t, c.size, c.step, c.kind, 4, c.reach)
		rng := rand.New(rand.NewPCG(uint64(c.size), 2))
		xs := normal(rng, c.size, 50)
		sessions := open(rng, p, xs)
		initial := disagreement(sessions)
		results, _ := lockstep(t, sessions)
		apart, wrong := 0.0, 0.0
		for i := range xs[0] {
			exact := 0.0
			for _, x := range xs {
				exact += math.Float64frombits(x[i])
			}
			for _, got := range results {
				v := math.Float64frombits(got[i])
				wrong = max(wrong, math.Abs(v-exact))
				apart = max(apart, math.Abs(v-math.Float64frombits(results[0][i])))
			}
		}
		name := fmt.Sprintf("%s of %d to %g", p.Name(), c.size, c.reach)
		left := disagreement(sessions) / initial
		t.Logf("%s: %g left of %g; apart by %.2g of %.2g, wrong by %.2g", name, left, p.LeftAfter(p.Rounds()), apart, p.Tolerance(1), wrong)
		if left > p.LeftAfter(p.Rounds())+p.rounding() || p.LeftAfter(p.Rounds()) > c.reach {
			t.Errorf("%s: %g of the disagreement left, want at most %g and for rounding %g", name, left, p.LeftAfter(p.Rounds()), p.rounding())
		}
		if tolerance := p.Tolerance(1); apart > tolerance || wrong > tolerance || tolerance > 1000*apart {
			t.Errorf("%s: members are apart by %g, wrong by %g, tolerance %g", name, apart, wrong, tolerance)
		}
	}
}

// reference iterates on vertices as in the equations, with the neighbours of each in the order
// of member and part.
func reference(p *Laplacian, members []int, xs [][]uint64) []uint64 {
	n := p.graph.Len()
	x, before := make([]float64, n), make([]float64, n)
	for v := range p.size {
		x[v] = math.Float64frombits(xs[members[v]][0])
	}
	omega := 2.0
	for t := range p.iterations {
		next := make([]float64, n)
		for v := range next {
			neighbours := slices.Clone(p.graph.Neighbours(v))
			slices.SortFunc(neighbours, func(a, b int) int {
				if d := members[p.graph.Host(a)] - members[p.graph.Host(b)]; d != 0 {
					return d
				}
				return a - b
			})
			for _, w := range neighbours {
				weight := p.graph.Weights(v)[slices.Index(p.graph.Neighbours(v), w)]
				next[v] += float64(weight * (x[w] - x[v]))
			}
			next[v] = x[v] + float64(p.alpha*next[v])
		}
		if t > 0 {
			omega = 1 / (1 - float64(p.rate*p.rate*omega)/4)
			for v := range next {
				next[v] = float64(omega*next[v]) + float64((1-omega)*before[v])
			}
		}
		x, before = next, x
	}
	totals := make([]uint64, p.size)
	for v := range totals {
		totals[members[v]] = math.Float64bits(float64(n) * x[v])
	}
	return totals
}

// The bits of the result are part of the protocol: all members of a view must compute the same
// ones, whatever version they run.
func TestIterationsHaveTheBitsOfTheEquations(t *testing.T) {
	for _, c := range []struct {
		size int
		kind graph.Kind
	}{{2, graph.HamiltonCycles}, {7, graph.HamiltonCycles}, {31, graph.HamiltonCycles}, {9, graph.InverseChord}, {25, graph.InverseChord}, {16, graph.Margulis}} {
		p := laplacian(t, c.size, Chebyshev, c.kind, 4, 1e-9)
		rng := rand.New(rand.NewPCG(uint64(c.size), 3))
		xs, members := normal(rng, c.size, 1), rng.Perm(c.size)
		sessions := make([]Session, c.size)
		for s := range sessions {
			sessions[s] = p.New(Placement{Members: members, Self: s}, xs[s])
		}
		want := reference(p, members, xs)
		results, _ := lockstep(t, sessions)
		for s, got := range results {
			if got[0] != want[s] {
				t.Errorf("%s of %d: member %d has %x, want %x", p.Name(), c.size, s, got[0], want[s])
			}
		}
	}
}

// A member that hosts a ghost sends one frame for each of its two vertices that a neighbour
// hears, and none twice.
func TestGhostsSpeakForThemselves(t *testing.T) {
	p := laplacian(t, 24, Optimal, graph.InverseChord, 0, 1e-3)
	if got := p.Graph().Len(); got != 29 {
		t.Fatalf("%d vertices, want 29", got)
	}
	rng := rand.New(rand.NewPCG(4, 1))
	hosted, parts := 0, [2]int{}
	for _, s := range open(rng, p, normal(rng, 24, 3)) {
		seen := map[[2]int]bool{}
		for _, f := range s.Start() {
			if seen[[2]int{f.To, f.Part}] {
				t.Errorf("two frames to %d of part %d", f.To, f.Part)
			}
			seen[[2]int{f.To, f.Part}] = true
			parts[f.Part]++
		}
		hosted += len(Values(s))
	}
	if hosted != 29 || parts[0] == 0 || parts[1] == 0 || parts[1] > 3*5 {
		t.Errorf("%d vertices hosted; %d frames of members, %d of ghosts", hosted, parts[0], parts[1])
	}
}

func TestSettingsThatNoPlanCanBeMadeOf(t *testing.T) {
	_, size := NewLaplacian(1, Chebyshev, graph.HamiltonCycles, 4, 1e-9)
	_, step := NewLaplacian(8, "newton", graph.HamiltonCycles, 4, 1e-9)
	_, kind := NewLaplacian(8, Chebyshev, "torus", 4, 1e-9)
	_, nothing := NewLaplacian(8, Chebyshev, graph.HamiltonCycles, 4, 0)
	_, nan := NewLaplacian(8, Chebyshev, graph.HamiltonCycles, 4, math.NaN())
	_, empty := NewFoldIn(0, 1, "ring")
	_, k := NewBaseK(8, 0)
	_, arithmetic := NewCirculant(8, "float")
	_, exact := NewExact(8, 1, "float")
	for i, err := range []error{size, step, kind, nothing, nan, empty, k, arithmetic, exact} {
		if err == nil || errors.As(err, new(*FrameError)) {
			t.Errorf("case %d: got %v, want an error of the settings", i, err)
		}
	}
}
