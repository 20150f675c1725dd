package fedgem

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Cluster is one of the K̂ clusters that the members found together.
type Cluster struct {
	Centre []float64
	Rows   float64 // of all members
	Parts  int     // number of members' components in it
	// Spread is the variance of its rows, averaged over the columns. Shape is their covariance,
	// row-major, or nil for spherical clusters.
	Spread float64
	Shape  []float64
}

// Result is a participant's result. Clusters, Rounds, Converged and Blobs are the same at every
// member.
type Result struct {
	Clusters []Cluster
	// Rounds is the number of gathers, including the last merge. Converged reports that no
	// centre moved any more. Step is the step of the last [Round], or, without rounds, the
	// largest movement of a centre in the last own step.
	Rounds    int
	Converged bool
	Step      float64
	// Blobs holds what the members published for the last merge, by rank; nil for a member that
	// did not take part.
	Blobs [][]byte
	// Own is the cluster of each own component, and Weights the share of the own rows in each
	// cluster.
	Own     []int
	Weights []float64
	// Steps is the number of EM steps made on the own rows.
	Steps int
	// Spent is the loss that noise bounds; 0 without noise.
	Spent privacy.ZCDP
	// Few is the number of own components that had fewer than MinRows rows and were merged into
	// others before publication.
	Few int

	local *local
}

// Learn learns clusters of the own rows together with the group. Each round is one gather. If
// clusters are published only once, there is one gather, for the last merge.
func Learn(ctx context.Context, g collabdict.Group, x *mat.Dense, c Config) (*Result, error) {
	l, err := prepare(x, c)
	if err != nil {
		return nil, err
	}
	r, err := l.rounds(ctx, g)
	if err != nil {
		return nil, err
	}
	g.StartRound(r.Rounds, [32]byte{})
	return l.finish(ctx, g, l.config.Final, r)
}

// LearnRules is [Learn] with several rules for the last merge in place of c.Final. It returns a
// result for each, after the same rounds. All members must give the same rules.
func LearnRules(ctx context.Context, g collabdict.Group, x *mat.Dense, c Config, rules []Final) ([]*Result, error) {
	if c.Noise != nil {
		return nil, fmt.Errorf("fedgem: several last merges reveal more than one: use one rule with noise")
	}
	l, err := prepare(x, c)
	if err != nil {
		return nil, err
	}
	before, err := l.rounds(ctx, g)
	if err != nil {
		return nil, err
	}
	var out []*Result
	for i, rule := range rules {
		g.StartRound(before.Rounds+i, [32]byte{})
		own := *l
		r, err := own.finish(ctx, g, rule, before)
		if err != nil {
			return nil, fmt.Errorf("rule %d of %d: %w", i+1, len(rules), err)
		}
		out = append(out, r)
	}
	return out, nil
}

func prepare(x *mat.Dense, c Config) (*local, error) {
	c = c.withDefaults()
	rows, _ := x.Dims()
	if err := c.check(rows); err != nil {
		return nil, fmt.Errorf("fedgem: %w", err)
	}
	if c.Noise == nil { // otherwise the others would see that one row ends the run; it is clipped
		if err := gmm.CheckRows(gmm.Matrix(x)); err != nil {
			return nil, fmt.Errorf("fedgem: %w", err)
		}
	}
	l, err := newLocal(x, c)
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	return l, nil
}

func (l *local) finish(ctx context.Context, g collabdict.Group, rule Final, r Result) (*Result, error) {
	own, err := l.last(rule)
	if err != nil {
		return nil, fmt.Errorf("last step: %w", err)
	}
	all, err := l.exchange(ctx, g, own.regions)
	if err != nil {
		return nil, fmt.Errorf("last merge: %w", err)
	}
	if l.config.once() { // members have not reported it before
		r.Converged = all.settled
	}
	r.Blobs, r.Steps, r.Few, r.local = all.blobs, l.steps, own.few, l
	if l.account != nil {
		r.Spent = l.account.Spent()
	}
	return &r, r.merge(all, own)
}

// rounds makes rounds until no centre moves at any member. It counts one more round in the
// result, for the last merge.
func (l *local) rounds(ctx context.Context, g collabdict.Group) (r Result, err error) {
	if l.config.once() {
		return l.alone()
	}
	last, err := collabdict.Rounds(g, nil, l.config.Rounds, func(n int) (collabdict.Round, error) {
		own, err := l.round()
		if err != nil {
			return collabdict.Round{}, fmt.Errorf("local step: %w", err)
		}
		all, err := l.exchange(ctx, g, own)
		if err != nil {
			return collabdict.Round{}, err
		}
		of, count := l.superClusters(all)
		l.pull(own, all.targets(of, centres(all.regions, of, count), len(own)))
		r.Step, r.Converged = all.step(l.config.Half), all.settled
		if l.config.OnRound != nil {
			l.config.OnRound(Round{Number: n, Step: r.Step})
		}
		return collabdict.Round{Number: n, Converged: r.Converged}, nil
	})
	r.Rounds = last.Number + 1
	return r, err
}

// alone makes the steps of rounds as if no regions met: every centre moves to the middle of its
// own region.
func (l *local) alone() (Result, error) {
	r := Result{Rounds: 1}
	for n := 1; n <= l.config.Rounds && !l.settled; n++ {
		own, err := l.round()
		if err != nil {
			return r, fmt.Errorf("local step %d: %w", n, err)
		}
		r.Step = gathered{regions: own}.step(l.config.Half)
		l.pull(own, make([][]float64, len(own)))
	}
	return r, nil
}

// Round is what all members know about a round.
type Round struct {
	Number int
	// Step is the largest distance by which the members' EM steps moved a centre, in standard
	// deviations of its cluster.
	Step float64
}

// step returns the step of the round. The radius of a region is the distance by which its
// centre moved; with half, the squared radius is half the squared distance.
func (a gathered) step(half bool) (most float64) {
	for _, r := range a.regions {
		far := r.radius
		if half {
			far *= math.Sqrt2
		}
		if r.shape == nil && r.spread > 0 {
			far /= math.Sqrt(r.spread)
		}
		if !r.empty() {
			most = max(most, far)
		}
	}
	return most
}

// last makes the last step and returns the regions of the last merge.
func (l *local) last(rule Final) (parts, error) {
	next, err := l.maximise()
	if err != nil {
		return parts{}, err
	}
	own := partsOf(l.published(next, next))
	if l.config.once() {
		own.joinFew(float64(l.config.MinRows))
	}
	rule.radii(own.regions, l, next)
	for k, r := range own.regions {
		if r.empty() {
			own.regions[k].radius = 0
		}
	}
	return own, nil
}

// gathered holds what the members in the view published, in the order of ranks.
type gathered struct {
	blobs   [][]byte
	regions []region
	owner   []int // rank, by region
	own     int   // index of this member's first region; −1 if it is not in the view
	settled bool  // all members are settled
	// meeting returns the links of the regions, possibly with others; nil if nothing has
	// computed them.
	meeting func() []link
}

func (a gathered) links() []link {
	if a.meeting != nil {
		return a.meeting()
	}
	return links(a.regions)
}

func (l *local) exchange(ctx context.Context, g collabdict.Group, own []region) (gathered, error) {
	mine := encode(own, l.settled)
	blobs, err := g.Gather(ctx, clustersEntry, mine)
	if err != nil {
		return gathered{}, fmt.Errorf("gather: %w", err)
	}
	all := gathered{blobs: blobs, own: -1, settled: true}
	for rank, b := range blobs {
		if b == nil {
			continue
		}
		regions, settled, err := decode(b, len(own[0].centre), l.config.Full)
		if err != nil {
			return gathered{}, fmt.Errorf("member %d of %d: %w", rank+1, len(blobs), err)
		}
		if all.own < 0 && bytes.Equal(b, mine) {
			all.own = len(all.regions)
		}
		all.settled = all.settled && settled
		all.regions = append(all.regions, regions...)
		for range regions {
			all.owner = append(all.owner, rank)
		}
	}
	return all, nil
}

// targets returns the centre of each own component's super-cluster; nil for a component in
// none.
func (a gathered) targets(of []int, centres [][]float64, own int) [][]float64 {
	out := make([][]float64, own)
	for k := range out {
		if a.own >= 0 && of[a.own+k] >= 0 {
			out[k] = centres[of[a.own+k]]
		}
	}
	return out
}
