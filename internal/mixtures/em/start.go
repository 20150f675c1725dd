package em

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// starter finds the first parameters by sums alone, from clusterings of all participants' rows,
// without showing any row. Its sums are one running total, which the statistics of the rounds
// continue. Nothing that depends exactly on rows is summed before it.
type starter struct {
	*Learner
	group collabdict.Group
	banks []*bank
	// source is that of all draws of a start, the same at all members.
	source *rand.PCG
	blocks []collabdict.Block // of all its sums but the last
	most   int                // number of candidates at the start
	sums   int                // made so far
}

// A bank has what a start sums for one view and number of clusters: the statistics of the rows in
// the clusters of one clustering, then the counts and sums of all clusterings.
type bank struct {
	view     *view
	clusters int
	// blocks are those of the statistics, and those of the clusterings.
	blocks      [2][]collabdict.Block
	clusterings []*clustering
	best        *clustering     // whose statistics are summed
	moments     *passes.Moments // of all rows in its clusters, from the last sum
}

const (
	draws      = 9 // clusterings of all numbers of clusters together
	lloydSteps = 8
	fewSteps   = 5 // for more than large members, because a sum then takes long
	large      = 64
	cutSteps   = 3 // the last steps, after which centres are those of cuts
	// alike is the variance, as a share of the mean squared distance of rows from their mean, at
	// which distances from centres hardly matter.
	alike = 1000
)

// The running totals of the start and of the rounds.
const (
	startKey      = "start"
	statisticsKey = "statistics"
)

// start returns the candidates with the given parameters, or with those of the last clustering
// for each number of components: uniform weights, and means and precisions by Eqs. (15) and
// (16).
func (s *starter) start(ctx context.Context) ([]*candidate, error) {
	live := s.candidates(s.agreed.TotalRows)
	if s.config.Init != nil {
		s.running = collabdict.Running{Key: statisticsKey}
		return live, s.given(live)
	}
	s.running = collabdict.Running{Key: startKey}
	s.most = len(live)
	for _, c := range live {
		if s.bank(c) == nil {
			s.banks = append(s.banks, &bank{view: c.view, clusters: c.components})
		}
	}
	s.source = rand.NewPCG(s.config.Seed, uint64(s.rows.Dim))
	s.drawFirst()
	s.bound()
	all, err := s.sum(ctx)
	if err != nil {
		return nil, fmt.Errorf("first sum over the rows: %w", err)
	}
	live = s.candidates(float64(s.total))
	s.choosing.normal = newReference(all[s.view].Moments)
	s.draw(all)
	steps := lloydSteps
	if s.group.Membership().Size > large {
		steps = fewSteps
	}
	for i := range steps {
		if all, err = s.sum(ctx); err != nil {
			return nil, fmt.Errorf("start by clustering: %w", err)
		}
		if i >= steps-cutSteps {
			s.cut(all)
		}
	}
	return live, s.firstModels(ctx, live, all)
}

// candidates returns the candidates of all views; see [Config.candidates].
func (s *starter) candidates(rows float64) (live []*candidate) {
	for _, v := range s.views {
		live = append(live, s.config.candidates(v, rows, v.rows.Dim)...)
	}
	return live
}

// bank returns the bank of a candidate's view and number of components, nil if there is none.
func (s *starter) bank(c *candidate) *bank {
	for _, b := range s.banks {
		if b.view == c.view && b.clusters == c.components {
			return b
		}
	}
	return nil
}

// given sets the given parameters.
func (s *starter) given(live []*candidate) error {
	m, err := s.config.Init.Mixture()
	for _, c := range live {
		c.model = m
		if r := c.form.relativePrior(); r != nil && err == nil {
			r.variances = spread(m)
		}
	}
	return err
}

// draw draws new centres for all clusterings, from a normal distribution with the mean and the
// covariance of all rows.
func (s *starter) draw(all map[*view]*whole) {
	rng, normals := rand.New(s.source), map[*view]normal{}
	for _, v := range s.views {
		normals[v] = newNormal(all[v].Moments)
	}
	for _, b := range s.banks {
		b.clusterings = nil
		for range draws * len(s.views) / len(s.banks) {
			b.clusterings = append(b.clusterings, newClustering(normals[b.view].draw(b.clusters, rng), all[b.view]))
		}
		b.best = b.clusterings[0]
	}
}

// cut replaces the first clustering of each bank by that of cuts, which counts as the best. Centres
// that follow the means of soft clusters draw near to each other. The moments of these clusters show
// where the rows are.
func (s *starter) cut(all map[*view]*whole) {
	for _, v := range s.views {
		var sizes []int
		var finest *passes.Moments // numbers of clusters rise
		for _, b := range s.banks {
			if b.view == v {
				sizes, finest = append(sizes, b.clusters), b.moments
			}
		}
		found := s.config.Shared.cuts(finest, sizes, s.source)
		for _, b := range s.banks {
			if b.view == v {
				p := found[b.clusters]
				b.best = &clustering{centres: mat.DenseCopyOf(p.centres)}
				b.best.soften(p.square, all[v])
				b.clusterings[0] = b.best
			}
		}
	}
}

// drawFirst draws the first centres. They are the same whatever the rows are, so a cluster of one
// member's rows would show that member, run after run. The first sum serves only for the moments of
// all rows: each row counts equally in all clusters.
func (s *starter) drawFirst() {
	all, first := unitSphere(s.rows.Dim), map[*view]*whole{}
	for _, v := range s.views {
		first[v] = all
	}
	s.draw(first)
	for _, b := range s.banks {
		for _, c := range b.clusterings {
			c.variance = alike * all.square
		}
	}
}

// bound sets the blocks of the sums, which are all alike.
func (s *starter) bound() {
	s.blocks = columnstats.AppendBlock(nil, 1, s.limits.Rows)
	for _, b := range s.banks {
		limits := b.view.limits
		b.blocks = [2][]collabdict.Block{limits.statistics(b.clusters), limits.clusterBlocks(nil, len(b.clusterings), b.clusters)}
		s.blocks = append(append(s.blocks, b.blocks[0]...), b.blocks[1]...)
	}
	s.blocks = append(s.blocks, columnstats.AppendBlock(nil, gainsOf(s.most), gainBound(s.limits.Bounds))...)
}

// sum makes one sum of all banks. From its total it returns the moments of all rows in each view, and
// moves the clusterings; the best of each bank is the one with the smallest sum of squares within
// clusters.
func (s *starter) sum(ctx context.Context) (all map[*view]*whole, err error) {
	length := 0
	for _, b := range s.blocks {
		length += b.Len
	}
	own := append(make([]float64, 0, length), float64(s.rows.N))
	s.sums++
	blurred := 1
	blur := func(part string, bounds []collabdict.Block) { // of what was appended last
		s.blur.Add(own[blurred:], bounds, part, fmt.Sprint("start ", s.sums, " ", part))
		blurred = len(own)
	}
	for _, b := range s.banks {
		if own, err = s.statistics(own, b); err != nil {
			return nil, err
		}
		blur(b.view.named(partName(b.clusters)), b.blocks[0])
		if own, err = clusterSums(own, b.view.rows, b.clusterings, s.config.Diversity); err != nil {
			return nil, err
		}
		blur(b.view.named(fmt.Sprint("clusters ", b.clusters)), b.blocks[1])
	}
	if n := gainsOf(s.most); n > 0 { // there are no mixtures to judge yet; the rounds continue these values
		own = append(own, make([]float64, n)...)
		blur("gains", s.blocks[len(s.blocks)-1:])
	}
	total, err := s.group.Sum(ctx, s.summand(own, s.blocks))
	if err != nil {
		return nil, err
	}
	if err := s.count(total[0]); err != nil {
		return nil, err
	}
	rest := total[1:]
	all = map[*view]*whole{}
	for _, b := range s.banks {
		length := passes.PackedLen(b.clusters, s.rows.Dim, true)
		b.moments = passes.Unpack(rest[:length], b.clusters, s.rows.Dim, true)
		if all[b.view] == nil {
			if err := b.view.same.Check(total[0], b.clusters, rest, b.blocks[0]); err != nil {
				return nil, err
			}
			all[b.view] = newWhole(together(b.moments, total[0]))
		}
		rest = moveAll(b.clusterings, rest[length+1:], all[b.view])
		b.best = slices.MaxFunc(b.clusterings, func(a, b *clustering) int { return cmp.Compare(a.between, b.between) })
	}
	return all, nil
}

// statistics appends the moments of the own rows in the clusters of a bank's best clustering,
// and this participant's part of the objective: the smallest possible entropy of its rows. If
// the member is lost from now on, the objective does not fall when it comes back.
func (s *starter) statistics(to []float64, b *bank) ([]float64, error) {
	own, err := b.best.moments(b.view.rows, s.config.Diversity)
	if err != nil {
		return nil, err
	}
	k := float64(b.clusters)
	least := -(float64(s.rows.N)+s.config.weightRows()*k)*math.Log(k) - k*s.price(b.clusters).nats
	if b.view.partial != nil {
		least -= b.view.limits.cells()
	}
	return append(own.AppendTo(to), least), nil
}

// partName names a candidate's part of a vector, for the blur.
func partName(components int) string { return fmt.Sprint("components ", components) }

// together returns the moments of n rows as those of a single component, given their moments
// in several components.
func together(s *passes.Moments, n float64) *passes.Moments {
	all := passes.NewMoments(1, s.Dim, true)
	all.N[0] = n
	for k := range s.K {
		floats.Add(all.First, s.First[k*s.Dim:(k+1)*s.Dim])
		floats.Add(all.Second, s.Second[k*s.Stride():(k+1)*s.Stride()])
	}
	return all
}

// continued returns the running total of the candidates, which continues that of the start: each
// begins with the statistics of the bank of its size.
func (s *starter) continued(live []*candidate) collabdict.Running {
	at, starts := 1, map[*bank]int{}
	for _, b := range s.banks {
		starts[b] = at
		at += passes.PackedLen(b.clusters, s.rows.Dim, true) + 1 + len(b.clusterings)*b.clusters*(1+s.rows.Dim)
	}
	parts := [][2]int{{0, 1}}
	for _, c := range live {
		from := starts[s.bank(c)]
		parts = append(parts, [2]int{from, from + s.limits.length(c.components)})
	}
	if n := gainsOf(len(live)); n > 0 {
		parts = append(parts, [2]int{at, at + n})
	}
	before := s.running
	return collabdict.Running{Key: statisticsKey, From: startKey, Parts: parts, Before: &before}
}

// firstModels makes one M-step of each candidate with the responsibilities of the clustering of
// its size. A component with less than one row stays at its centre, with the precision that
// fits all rows.
func (s *starter) firstModels(ctx context.Context, live []*candidate, all map[*view]*whole) error {
	s.running = s.continued(live)
	starts, length := s.limits.layout(live)
	x := append(make([]float64, 0, length), float64(s.rows.N))
	for _, c := range live {
		var err error
		if x, err = s.statistics(x, s.bank(c)); err != nil {
			return err
		}
	}
	x = x[:length] // no mixture has gained anything yet
	blocks := blocksOf(live)
	s.blurAll(x, live, "first")
	total, err := s.group.Sum(ctx, s.summand(x, blocks))
	if err != nil {
		return fmt.Errorf("sum of the first components: %w", err)
	}
	if err := checkRows(total, live, starts); err != nil {
		return fmt.Errorf("first components: %w", err)
	}
	return parallel.Try(len(live), func(i int) error {
		c := live[i]
		part := total[starts[i] : starts[i]+s.limits.length(c.components)-1]
		sums := passes.Unpack(part, c.components, s.rows.Dim, true)
		return c.first(sums, s.bank(c).best.centres, all[c.view])
	})
}

// unitSphere stands for rows of mean 0 and variance 1 in each column.
func unitSphere(dim int) *whole {
	all := passes.NewMoments(1, dim, true)
	all.N[0] = 1
	for i := range dim {
		all.Second[i*dim+i] = 1
	}
	return newWhole(all)
}

// first is the M-step of a candidate without a model yet.
func (c *candidate) first(sums *passes.Moments, centres *mat.Dense, all *whole) error {
	k, dim := centres.Dims()
	p := c.form.(prior)
	if p.relative != nil {
		p = p.withVariances(pooledVariances(sums))
	}
	second := make([]float64, dim*dim)
	floats.ScaleTo(second, 1/float64(k), all.Second)
	first := make([]float64, dim)
	floats.ScaleTo(first, 1/float64(k), all.First)
	common, err := p.optimise(math.Max(minRows, all.N[0]/float64(k)), first, second, nil)
	if err != nil {
		return fmt.Errorf("first precision: %w", err)
	}
	weights, precisions := make([]float64, k), make([]*mat.SymDense, k)
	for i := range k {
		weights[i], precisions[i] = 1/float64(k), common.precision
	}
	fallback, err := gmm.NewMixture(weights, centres, precisions)
	if err != nil {
		return fmt.Errorf("first parameters: %w", err)
	}
	next, err := p.maximise(fallback, sums)
	if err != nil {
		return err
	}
	c.form, c.model = p, next.model
	return nil
}

// normal is the normal distribution with the mean and the covariance of all rows, which centres are
// drawn from.
type normal struct {
	mean []float64
	root [][]float64 // rows whose products with themselves add up to the covariance
}

// newNormal finds the root by Cholesky's method with pivots, which ends when no variance is left. Noise
// may make the covariance indefinite, so correlations are at most 1.
func newNormal(all *passes.Moments) normal {
	cov := all.Spread(0)
	cov.ScaleSym(1/math.Max(all.N[0], 1), cov)
	d := normal{mean: all.Mean(0)}
	left, enough := make([]float64, all.Dim), 0.0
	for i := range left {
		left[i] = math.Max(0, cov.At(i, i))
		enough = math.Max(enough, constantShare*left[i])
	}
	for range left {
		pivot := floats.MaxIdx(left)
		if left[pivot] <= enough {
			break
		}
		row, root := make([]float64, all.Dim), math.Sqrt(left[pivot])
		for j := range row {
			row[j] = cov.At(pivot, j)
		}
		for _, before := range d.root {
			blas.AddScaled(row, -before[pivot], before)
		}
		for j, v := range row {
			most := math.Sqrt(left[j])
			row[j] = math.Max(-most, math.Min(v/root, most))
			left[j] = math.Max(0, left[j]-float64(row[j]*row[j]))
		}
		left[pivot] = 0
		d.root = append(d.root, row)
	}
	return d
}

func (d normal) draw(k int, rng *rand.Rand) *mat.Dense {
	centres := mat.NewDense(k, len(d.mean), nil)
	for i := range k {
		centre := centres.RawRowView(i)
		for _, row := range d.root {
			blas.AddScaled(centre, rng.NormFloat64(), row)
		}
		for at, m := range d.mean {
			centre[at] += m
		}
	}
	return centres
}
