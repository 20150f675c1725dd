package em

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// EM with more components than patterns covers a pattern of many rows by several components. How
// many, and which, depends on little, such as the noise in the totals. So after the last round,
// components are merged that together are nearly one normal distribution. This needs only the last
// total, which all members have.

const (
	// lossPerRow is the maximum loss, in nats per row, from merging two components.
	lossPerRow = 0.1
	// lossByChance is the loss, in nats per column in all, that is allowed in addition if held-out rows
	// show that the mergers do no harm. Chance alone makes halves of a pattern differ by about this
	// much, but so may parts of a pattern that is far from normal.
	lossByChance = 2
	// lossPerFew bounds the loss, in nats for each row of the smaller component. A rare pattern
	// is lost among many rows of another without much loss per row.
	lossPerFew = 2
	// mergeDraws is the maximum number of rows drawn to measure a loss.
	mergeDraws = 1000
	// enoughDraws is the number of rows after which a loss may be certain to be above its limit: by
	// this number of its standard errors.
	enoughDraws, surely = 64, 8
)

// pattern is the normal distribution of the rows of some components. Columns have unit pooled
// variance.
type pattern struct {
	components    []int
	rows          float64
	first, second []float64
	mean          []float64
	root          []float64 // U, with UᵀU the covariance matrix
	norm          float64   // −½ ln of the determinant of the covariance matrix
}

// patternOf returns the pattern with the given sums over its rows. ok is false if there are hardly
// any, or noise is larger than the sums.
func (p prior) patternOf(components []int, rows float64, first, second []float64) (_ *pattern, ok bool) {
	if rows < minRows {
		return nil, false
	}
	x := &pattern{components: components, rows: rows, first: first, second: second, mean: make([]float64, len(first))}
	floats.ScaleTo(x.mean, 1/(p.lambda0+rows), first)
	s := scatter(first, second, x.mean)
	p.relative.lasso(rows, s)
	if p.blurred {
		more := priorRows(len(first))
		passes.Raise(s, more/(rows+more))
	}
	for i, v := range p.relative.variances {
		x.mean[i] /= math.Sqrt(v)
	}
	root, ok := lapack.FactoriseRows(s.RawSymmetric().Data, len(first))
	if !ok {
		return nil, false
	}
	x.root, x.norm = root.U(), -root.LogDet()/2
	return x, true
}

// with returns the pattern of the rows of both.
func (x *pattern) with(y *pattern, p prior) (*pattern, bool) {
	first, second := slices.Clone(x.first), slices.Clone(x.second)
	floats.Add(first, y.first)
	floats.Add(second, y.second)
	components := slices.Concat(x.components, y.components)
	slices.Sort(components)
	return p.patternOf(components, x.rows+y.rows, first, second)
}

// draw draws a row.
func (x *pattern) draw(row []float64, src rand.Source) {
	copy(row, x.mean)
	dim := len(row)
	for i := range row {
		z := portable.Normal(src)
		blas.AddScaled(row[i:], z, x.root[i*dim+i:(i+1)*dim])
	}
}

// logDensity returns the log density of a row up to a constant that depends on M alone.
func (x *pattern) logDensity(row, space []float64) float64 {
	dim, sum := len(row), 0.0
	floats.SubTo(space, row, x.mean)
	for i := range dim {
		z := space[i] / x.root[i*dim+i]
		blas.AddScaled(space[i:], -z, x.root[i*dim+i:(i+1)*dim])
		sum += float64(z * z)
	}
	return x.norm - sum/2
}

// loss returns how much of the log density, in nats per row, is lost if one normal distribution
// takes the place of two: the Kullback-Leibler divergence of the mixture of x and y from one, which
// is their merger. All members draw the same rows. It returns +Inf if entropies show that the loss is
// above the limit, without drawing, or if some draws do.
func loss(x, y, one *pattern, limit float64) float64 {
	share := [2]float64{x.rows / one.rows, y.rows / one.rows}
	// The entropy of a mixture is at most that of its parts and of their labels together.
	least := -one.norm
	for i, of := range [2]*pattern{x, y} {
		least += float64(share[i]*of.norm) + float64(share[i]*portable.Log(share[i]))
	}
	if least > limit {
		return math.Inf(1)
	}
	row, space := make([]float64, len(x.mean)), make([]float64, len(x.mean))
	src, sum, squares := rand.NewPCG(0, 0), 0.0, 0.0
	ofX := func(draws int) int { return int(math.Round(float64(draws) * share[0])) }
	for i := range mergeDraws {
		if ofX(i+1) > ofX(i) {
			x.draw(row, src)
		} else {
			y.draw(row, src)
		}
		a := x.logDensity(row, space) + portable.Log(share[0])
		b := y.logDensity(row, space) + portable.Log(share[1])
		apart := math.Abs(a - b)
		if !(apart <= math.MaxFloat64) { // too far for numbers
			return math.Inf(1)
		}
		term := math.Max(a, b) + portable.Log(1+portable.Exp(-apart)) - one.logDensity(row, space)
		sum += term
		squares += float64(term * term)
		if n := i + 1; n >= enoughDraws && n&(n-1) == 0 {
			mean := sum / float64(n)
			if mean-float64(surely*math.Sqrt(math.Max(0, squares/float64(n)-float64(mean*mean))/float64(n))) > limit {
				return math.Inf(1)
			}
		}
	}
	return sum / mergeDraws
}

// merge joins groups of a total's components until each group is one pattern. It joins the pair of
// least loss first, and leaves at least fewest groups. more is the loss allowed in addition, in nats.
func (p prior) merge(s *passes.Moments, groups [][]int, fewest int, more float64) [][]int {
	return p.shared.merged(p, s, groups, fewest, more, func() [][]int { return p.groups(s, groups, fewest, more) })
}

// groups is merge without the cache.
func (p prior) groups(s *passes.Moments, groups [][]int, fewest int, more float64) (merged [][]int) {
	var all []*pattern
	sums := s.Joined(groups)
	for k, group := range groups {
		square := s.Dim * s.Dim
		x, ok := p.patternOf(group, sums.N[k], sums.First[k*s.Dim:(k+1)*s.Dim], sums.Second[k*square:(k+1)*square])
		if !ok {
			merged = append(merged, group)
			continue
		}
		all = append(all, x)
	}
	mergers := map[[2]*pattern]*merger{}
	for len(merged)+len(all) > fewest {
		var pairs [][2]*pattern
		for i, x := range all {
			for _, y := range all[:i] {
				if pair := [2]*pattern{y, x}; mergers[pair] == nil {
					pairs = append(pairs, pair)
				}
			}
		}
		found := make([]merger, len(pairs))
		parallel.For(len(pairs), func(i int) { found[i] = p.merged(pairs[i][0], pairs[i][1], more) })
		for i, pair := range pairs {
			mergers[pair] = &found[i]
		}
		var best *merger
		var pair [2]int
		for i, x := range all {
			for j, y := range all[:i] {
				if m := mergers[[2]*pattern{y, x}]; m.one != nil && (best == nil || m.loss < best.loss) {
					best, pair = m, [2]int{j, i}
				}
			}
		}
		if best == nil {
			break
		}
		all[pair[0]] = best.one
		all = slices.Delete(all, pair[1], pair[1]+1)
	}
	for _, x := range all {
		merged = append(merged, x.components)
	}
	slices.SortFunc(merged, slices.Compare)
	return merged
}

// merger is the pattern of the rows of two; one is nil if they differ.
type merger struct {
	one  *pattern
	loss float64
}

func (p prior) merged(x, y *pattern, more float64) (m merger) {
	one, ok := x.with(y, p)
	if !ok {
		return m
	}
	limit := math.Min(lossPerRow+more/one.rows, lossPerFew*math.Min(x.rows, y.rows)/one.rows)
	if l := loss(x, y, one, limit); l <= limit {
		m = merger{one, l}
	}
	return m
}
