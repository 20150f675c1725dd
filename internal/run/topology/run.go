package topology

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// A Run is the result of sessions with random vectors.
type Run struct {
	Values int    `json:"values"` // values per vector
	Seed   uint64 `json:"seed"`   // that of the vectors
	// Measured is the number of iterations until the disagreement over all values is at most the
	// tolerance; absent if rounding prevents that. For schedules, it is the number of steps until
	// all members have the total.
	Measured int     `json:"iterations_measured,omitempty"`
	MaxError float64 `json:"max_error"`         // largest error in a member's total
	Exact    bool    `json:"exact"`             // reports whether there is no error
	Messages float64 `json:"messages_per_node"` // messages sent per member in a session, as a mean
	Bytes    float64 `json:"bytes_per_node"`    // bytes sent per member, before framing and encryption
}

// Measure runs a session of every member. Over a graph, values are standard normal; otherwise
// they are drawn uniformly from the ring or field, so that sums can be compared with those of
// whole numbers.
func (t *Topology) Measure(values int, seed uint64) error {
	r := &Run{Values: values, Seed: seed}
	rng := rand.New(rand.NewPCG(seed, 0))
	var traffic session.Traffic
	var err error
	if p, ok := t.plan.(*session.Laplacian); ok {
		traffic, err = r.iterate(p, t.Tolerance, rng)
	} else {
		traffic, err = r.add(t.plan, t.Kind == BaseK, rng)
	}
	if err != nil {
		return err
	}
	frames, words := 0, 0
	for i := range traffic.Frames {
		frames += traffic.Frames[i]
		words += traffic.Words[i]
	}
	r.Messages, r.Bytes = float64(frames)/float64(t.Size), float64(8*words)/float64(t.Size)
	r.Exact = r.MaxError == 0
	t.Run = r
	return nil
}

// iterate runs sessions over a graph.
func (r *Run) iterate(p *session.Laplacian, tolerance float64, rng *rand.Rand) (session.Traffic, error) {
	vectors := draw(p.Size(), r.Values, func() uint64 { return math.Float64bits(rng.NormFloat64()) })
	sessions := start(p, vectors)
	initial := disagreement(p, sessions)
	traffic, err := session.Lockstep(sessions, func(steps int) {
		if r.Measured == 0 && disagreement(p, sessions) <= tolerance*initial {
			r.Measured = steps
		}
	})
	if err != nil {
		return traffic, err
	}
	for j := range r.Values {
		sum := new(big.Float).SetPrec(256)
		for _, x := range vectors {
			sum.Add(sum, big.NewFloat(math.Float64frombits(x[j])))
		}
		for _, s := range sessions {
			off := big.NewFloat(math.Float64frombits(s.Result()[j]))
			off.Sub(off.SetPrec(256), sum)
			e, _ := off.Abs(off).Float64()
			r.MaxError = max(r.MaxError, e)
		}
	}
	return traffic, nil
}

// disagreement returns ‖x-x̄‖₂ over all vertices and values.
func disagreement(p *session.Laplacian, sessions []session.Session) float64 {
	var xs [][]uint64
	for _, s := range sessions {
		xs = append(xs, session.Values(s)...)
	}
	sum := 0.0
	for j := range xs[0] {
		mean := 0.0
		for _, x := range xs {
			mean += math.Float64frombits(x[j])
		}
		mean /= float64(p.Graph().Len())
		for _, x := range xs {
			d := math.Float64frombits(x[j]) - mean
			sum += d * d
		}
	}
	return math.Sqrt(sum)
}

// add runs sessions of an exact plan.
func (r *Run) add(p session.Plan, field bool, rng *rand.Rand) (session.Traffic, error) {
	modulus := new(big.Int).Lsh(big.NewInt(1), 64)
	number := rng.Uint64
	if field {
		modulus.SetUint64(chunking.Prime)
		number = func() uint64 { return rng.Uint64N(chunking.Prime) }
	}
	vectors := draw(p.Size(), r.Values, number)
	sessions := start(p, vectors)
	traffic, err := session.Lockstep(sessions, nil)
	if err != nil {
		return traffic, err
	}
	for _, s := range sessions {
		r.Measured = max(r.Measured, s.Round())
	}
	for j := range r.Values {
		sum := new(big.Int)
		for _, x := range vectors {
			sum.Add(sum, new(big.Int).SetUint64(x[j]))
		}
		sum.Mod(sum, modulus)
		for _, s := range sessions {
			off := new(big.Int).SetUint64(s.Result()[j])
			e, _ := new(big.Float).SetInt(off.Sub(off, sum)).Float64()
			r.MaxError = max(r.MaxError, math.Abs(e))
		}
	}
	return traffic, nil
}

func draw(members, values int, number func() uint64) [][]uint64 {
	vectors := make([][]uint64, members)
	for i := range vectors {
		vectors[i] = make([]uint64, values)
		for j := range vectors[i] {
			vectors[i][j] = number()
		}
	}
	return vectors
}

// start begins the sessions of members placed in the order of their numbers.
func start(p session.Plan, vectors [][]uint64) []session.Session {
	members := make([]int, len(vectors))
	for i := range members {
		members[i] = i
	}
	return seat(p, members, vectors)
}

// seat begins the sessions of members at the given places.
func seat(p session.Plan, members []int, vectors [][]uint64) []session.Session {
	sessions := make([]session.Session, len(vectors))
	for i, x := range vectors {
		sessions[i] = p.New(session.Placement{Members: members, Self: i}, slices.Clone(x))
	}
	return sessions
}

// Converge repeats the sessions of a view: members[v] is the number of the member at vertex v,
// and vectors are indexed by that number. It returns the disagreement ‖x-x̄‖₂ over all vertices
// and values after 0, 1, 2, … iterations.
func Converge(p *session.Laplacian, members []int, vectors [][]uint64) ([]float64, error) {
	sessions := seat(p, members, vectors)
	course := []float64{disagreement(p, sessions)}
	_, err := session.Lockstep(sessions, func(int) { course = append(course, disagreement(p, sessions)) })
	return course, err
}
