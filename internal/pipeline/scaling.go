package pipeline

import (
	"context"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/partial"
	"github.com/collabdict/collabdict/internal/rows"
)

// scaling returns the scaling of this participant's columns, the constant columns, and the
// moments of all rows if the sums reveal them. The result others compares this participant's
// deviations with the others', and is nil if no sum reveals theirs.
func (t *Task) scaling(ctx context.Context, g collabdict.Group, columns []string, of collabdict.Rows) (s rows.Scaling, constant []int, known algorithm.Moments, others *scales, err error) {
	switch t.Standardise {
	case algorithm.Own:
		s, constant, err = OwnScaling(t.Normalise, of)
		if err == nil && t.ShrinkScales > 0 {
			if of, err = t.completed(of); err != nil {
				return s, nil, nil, nil, err
			}
			s, constant, others, err = t.shrunk(ctx, g, of, s, constant)
		}
		return s, constant, nil, others, err
	case algorithm.Agreed:
		s, err = t.Ranges.windowed(columns, t.Window).scaling(columns)
		return s, nil, nil, nil, err
	case algorithm.None:
		_, dim := of.Dims()
		return rows.Unscaled(dim), nil, nil, nil, nil
	}
	if of, err = t.completed(of); err != nil {
		return s, nil, nil, nil, err
	}
	switch t.Normalise {
	case MinMax:
		s, constant, err = minMax(columnstats.Extremes(ctx, g, of))
		return s, constant, nil, nil, err
	case Robust:
		s, constant, others, err = robust(ctx, g, of)
		return s, constant, nil, others, err
	}
	return globalScaling(ctx, g, of)
}

// completed returns rows with missing cells filled in.
func (t *Task) completed(of collabdict.Rows) (collabdict.Rows, error) {
	if !t.marginal() {
		return of, nil
	}
	out, _, err := partial.Complete(of)
	return out, err
}

// OwnScaling returns a scaling computed from the given rows alone, and the columns that are
// constant.
func OwnScaling(normalise string, of collabdict.Rows) (rows.Scaling, []int, error) {
	switch normalise {
	case MinMax:
		return minMax(columnstats.OwnExtremes(of))
	case Robust:
		s, constant, _, err := robust(context.Background(), collabdict.Solo{}, of)
		return s, constant, err
	}
	return rows.Own(of)
}

// minMax returns the scaling that maps the smallest value of each column to 0 and the largest
// to 1.
func minMax(low, size []float64, constant []int, err error) (rows.Scaling, []int, error) {
	return rows.Scaling{Shift: low, Scale: size}, constant, err
}

// globalScaling standardises by the moments of all participants' rows, which come from private
// sums alone. The learner reuses the products of the same sum.
func globalScaling(ctx context.Context, g collabdict.Group, of collabdict.Rows) (rows.Scaling, []int, algorithm.Moments, *scales, error) {
	fail := func(err error) (rows.Scaling, []int, algorithm.Moments, *scales, error) {
		return rows.Scaling{}, nil, nil, nil, err
	}
	mean, about, err := columnstats.CentredMoments(ctx, g, of)
	if err != nil {
		return fail(err)
	}
	count := math.Round(about.Rows())
	own, alike, err := rows.Own(of)
	if err != nil {
		return fail(err)
	}
	zero(own.Scale, alike)
	n, _ := of.Dims()
	rest := count - float64(n)
	others := newScales(len(mean))
	variance := make([]float64, len(mean))
	for i := range mean {
		noise := noiseOf(g, about.Bounds, i)
		all := about.Squares(i)
		if all > noise {
			variance[i] = all / count
		}
		deviation, d := own.Scale[i], own.Shift[i]-mean[i]
		theirs := all - float64(n)*(deviation*deviation+d*d)
		if rest > 0 {
			theirs -= float64(n) * float64(n) * d * d / rest // about their own mean
		}
		others.enter(i, deviation, theirs, rest, noise)
	}
	s, constant, err := rows.FromMoments(count, mean, variance)
	if err != nil {
		return fail(err)
	}
	return s, constant, about.Scaled(s.Scale), others, nil
}

// noiseOf returns the smallest meaningful sum of squares of a column: below it, there is only
// rounding of chunks.
func noiseOf(g collabdict.Group, b columnstats.Bounds, column int) float64 {
	rms := b.RMS[column]
	return math.Ldexp(b.Rows*rms*rms, -26) * float64(g.Size())
}

// aboutMedian scales by the root mean square about the median, over the rows of all members.
// Members count equally, as they do for quartiles. It takes one sum, without the first moments of
// the rows: these are a running total, which the learner begins.
func aboutMedian(ctx context.Context, g collabdict.Group, of collabdict.Rows, median []float64) (rows.Scaling, []int, error) {
	_, dim := of.Dims()
	centred := rows.Unscaled(dim)
	centred.Shift = median
	b, err := columnstats.Agree(ctx, g, centred.Rows(of))
	if err != nil {
		return rows.Scaling{}, nil, err
	}
	own, there := make([]float64, 1+dim), make([]float64, dim)
	own[0] = 1
	err = rows.EachRow(centred.Rows(of), func(row []float64) {
		for j, v := range row {
			if !math.IsNaN(v) { // not missing
				own[1+j] += float64(v * v)
				there[j]++
			}
		}
	})
	if err != nil {
		return rows.Scaling{}, nil, err
	}
	for j, n := range there {
		own[1+j] /= math.Max(n, 1)
	}
	blocks := columnstats.AppendBlock(nil, 1, 1)
	for _, rms := range b.RMS {
		blocks = columnstats.AppendBlock(blocks, 1, rms*rms)
	}
	total, err := g.Sum(ctx, own, blocks)
	if err != nil {
		return rows.Scaling{}, nil, err
	}
	variance := make([]float64, dim)
	for j := range variance {
		if v := total[1+j]; v > noiseOf(g, b, j)/b.Rows {
			variance[j] = v / total[0]
		}
	}
	return rows.FromMoments(1, median, variance)
}

// robust scales by the quartiles of all members' rows, and by the deviation where the quartiles
// coincide.
func robust(ctx context.Context, g collabdict.Group, of collabdict.Rows) (s rows.Scaling, constant []int, others *scales, err error) {
	first, median, third, err := columnstats.Quartiles(ctx, g, of)
	if err != nil {
		return s, nil, nil, err
	}
	_, alone := g.(collabdict.Solo)
	s, constant, err = rows.FromQuartiles(first, median, third, func() (rows.Scaling, []int, error) {
		if alone {
			return rows.Own(of)
		}
		return aboutMedian(ctx, g, of, median)
	})
	if err != nil || alone {
		return s, constant, nil, err
	}
	own, alike, err := OwnScaling(Robust, of)
	if err != nil {
		return s, nil, nil, err
	}
	others = newScales(len(s.Scale))
	others.of = "all members" // quartiles of all rows do not show those of the other members
	others.own, others.others = own.Scale, slices.Clone(s.Scale)
	zero(others.own, alike)
	zero(others.others, constant)
	return s, constant, others, nil
}

// shrunk shrinks the variances of this participant's columns towards the mean variance within
// members. It takes one sum.
func (t *Task) shrunk(ctx context.Context, g collabdict.Group, of collabdict.Rows, s rows.Scaling, constant []int) (rows.Scaling, []int, *scales, error) {
	fail := func(err error) (rows.Scaling, []int, *scales, error) { return rows.Scaling{}, nil, nil, err }
	n, dim := of.Dims()
	centred := rows.Unscaled(dim)
	centred.Shift = s.Shift
	b, err := columnstats.Agree(ctx, g, centred.Rows(of))
	if err != nil {
		return fail(err)
	}
	own := []float64{float64(n)}
	blocks := columnstats.AppendBlock(nil, 1, b.Rows)
	deviations := slices.Clone(s.Scale)
	zero(deviations, constant)
	for i, scale := range deviations {
		own = append(own, float64(n)*scale*scale)
		blocks = columnstats.AppendBlock(blocks, 1, b.Rows*b.RMS[i]*b.RMS[i])
	}
	total, err := g.Sum(ctx, own, blocks)
	if err != nil {
		return fail(err)
	}
	count := math.Round(total[0])
	others := newScales(dim)
	out := rows.Scaling{Shift: s.Shift, Scale: make([]float64, dim)}
	constant = nil
	for i := range dim {
		noise := noiseOf(g, b, i)
		within := math.Max(total[1+i], own[1+i])
		if within <= noise {
			within = 0
		}
		variance := (own[1+i] + t.ShrinkScales*within/count) / (float64(n) + t.ShrinkScales)
		if out.Scale[i] = math.Sqrt(variance); variance == 0 {
			out.Scale[i] = 1
			constant = append(constant, i)
		}
		others.enter(i, deviations[i], total[1+i]-own[1+i], count-float64(n), noise)
	}
	return out, constant, others, nil
}
