package pipeline

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/partial"
)

// scaling returns the scaling of this participant's columns and the constant columns. If rows that
// Standardise has scaled are then put into a frame, the scaling does both, and frame is the second
// part. The result others compares this participant's deviations with the other members', and is
// nil if no sum shows these. The secrets of sums come from src.
func (t *Task) scaling(ctx context.Context, g collabdict.Group, columns []string, of collabdict.Rows, src rand.Source) (s rows.Scaling, constant []int, frame *algorithm.Frame, others *scales, err error) {
	full, err := t.completed(of)
	if err != nil {
		return s, nil, nil, nil, err
	}
	switch {
	case t.Standardise == algorithm.Own || t.Standardise == algorithm.Auto:
		s, constant, err = OwnScaling(t.Normalise, of)
	case t.Standardise == algorithm.Agreed:
		s, err = t.Ranges.windowed(columns, t.Window).scaling(columns)
	case t.Standardise == algorithm.None:
		s = rows.Unscaled(len(columns))
	case t.Normalise == MinMax:
		s, constant, err = minMax(columnstats.Extremes(ctx, g, full))
	default:
		s, constant, others, err = t.inFrame(ctx, g, full, src)
		return s, constant, nil, others, err
	}
	if err != nil || !t.NeedsFrame() || g.Membership().Size == 1 && t.PCA == 0 {
		return s, constant, nil, others, err
	}
	next, alike, _, err := t.inFrame(ctx, g, s.Rows(full), src)
	if err != nil {
		return s, nil, nil, nil, err
	}
	if t.PCA > 0 { // the axes depend on the scales of columns
		next.Scale = rows.Unscaled(len(columns)).Scale
	} else {
		constant = alike
	}
	return s.Then(next), constant, &algorithm.Frame{Shift: next.Shift, Scale: next.Scale}, others, nil
}

// NeedsFrame reports whether rows that Standardise has scaled are then put into a frame, because
// the algorithm needs it, or for the sum for principal axes, which needs rows near 0.
func (t *Task) NeedsFrame() bool {
	framed := t.Normalise != MinMax && t.Standardise != algorithm.Agreed && t.Standardise != algorithm.None
	return !framed && (t.Traits().Framed || t.PCA > 0)
}

// inFrame returns the scaling that puts rows into the frame of all members, and the constant
// columns. A participant that learns alone scales by its own rows.
func (t *Task) inFrame(ctx context.Context, g collabdict.Group, of collabdict.Rows, src rand.Source) (s rows.Scaling, constant []int, others *scales, err error) {
	form := t.Normalise
	if form == MinMax {
		form = Standard
	}
	own, constant, err := OwnScaling(form, of)
	if err != nil || g.Membership().Size == 1 {
		return own, constant, nil, err
	}
	middle := columnstats.Middle{Centre: own.Shift, Spread: slices.Clone(own.Scale)}
	zero(middle.Spread, constant)
	f, err := columnstats.AgreeFrame(ctx, g, middle, src)
	if err != nil {
		return s, nil, nil, err
	}
	for _, j := range f.Constant { // exactly 0 at every member
		f.Centre[j] = own.Shift[j]
	}
	return rows.Scaling{Shift: f.Centre, Scale: f.Spread}, f.Constant, &scales{middle.Spread, f.Others}, nil
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
		first, median, third, err := columnstats.OwnQuartiles(of)
		if err != nil {
			return rows.Scaling{}, nil, err
		}
		return rows.FromQuartiles(first, median, third, func() (rows.Scaling, []int, error) { return rows.Own(of) })
	}
	return rows.Own(of)
}

// minMax returns the scaling that maps the smallest value of each column to 0 and the largest
// to 1.
func minMax(low, size []float64, constant []int, err error) (rows.Scaling, []int, error) {
	return rows.Scaling{Shift: low, Scale: size}, constant, err
}
