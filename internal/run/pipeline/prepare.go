package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/internal/numeric/partial"
)

// prepared holds rows in the coordinates that training uses, and the maps to them. Columns are
// scaled first, then projected to principal axes. The axes are scaled in the same way, but
// always by the rows of all members.
type prepared struct {
	scaling    rows.Scaling
	frame      *algorithm.Frame // the second part of the scaling; nil if there is none
	projection *rows.Projection // nil without principal axes
	rows       collabdict.Rows
	rescaled   *prepared // the same rows scaled by all rows, if held-out rows choose; else nil
	logScale   []float64 // of rescaled, in units of the own scales; see [algorithm.Rescaled]
	warnings   []string
}

// prepare maps a participant's rows to the coordinates that training uses. The secrets of sums
// come from src.
func (t *Task) prepare(ctx context.Context, g collabdict.Group, p dataset.Participant, src rand.Source) (*prepared, error) {
	if err := t.CheckColumns(len(p.Columns)); err != nil {
		return nil, err
	}
	out := &prepared{}
	var constant []int
	var err error
	var others *scales
	if out.scaling, constant, out.frame, others, err = t.scaling(ctx, g, p.Columns, p.Train, src); err != nil {
		return nil, fmt.Errorf("standardise: %w", withoutCells(err, p.Columns))
	}
	if w := others.warning(t.DataColumns(p.Columns)); w != "" {
		out.warnings = append(out.warnings, w)
	}
	data := len(t.DataColumns(p.Columns))
	constant = slices.DeleteFunc(constant, func(i int) bool { return i >= data }) // warn about columns of the data, not about those of windows
	if len(constant) == data && !g.Membership().Alone {
		return nil, errConstant
	}
	if len(constant) > 0 {
		out.warnings = append(out.warnings, constantWarning("training", p.Columns, constant))
	}
	if t.Standardise == algorithm.Agreed {
		outside, err := t.Ranges.windowed(p.Columns, t.Window).outside(p.Columns, p.Train)
		if err != nil {
			return nil, err
		}
		if outside != "" {
			out.warnings = append(out.warnings, outside)
		}
	}
	if t.PCA == 0 {
		out.rows = out.scaling.Copy(p.Train)
		return out, t.rescale(ctx, g, p, out, constant, src)
	}
	return out, t.project(ctx, g, p.Train, out)
}

// rescale adds the rows scaled by those of all members, if held-out rows choose the scales.
func (t *Task) rescale(ctx context.Context, g collabdict.Group, p dataset.Participant, out *prepared, constant []int, src rand.Source) error {
	if t.Standardise != algorithm.Auto || g.Membership().Size == 1 {
		return nil
	}
	full, err := t.completed(p.Train)
	if err != nil {
		return err
	}
	s, _, others, err := t.inFrame(ctx, g, full, src)
	if err != nil {
		return fmt.Errorf("standardise: %w", err)
	}
	out.rescaled, out.logScale = &prepared{scaling: s, rows: s.Copy(p.Train)}, make([]float64, len(s.Scale))
	for i, v := range s.Scale {
		if !slices.Contains(constant, i) { // without own variation, units would decide
			out.logScale[i] = math.Log(v / out.scaling.Scale[i])
		}
	}
	if w := others.warning(t.DataColumns(p.Columns)); w != "" {
		out.rescaled.warnings = append(out.rescaled.warnings, w)
	}
	return nil
}

// bring maps other rows to the same coordinates, in memory.
func (p *prepared) bring(of collabdict.Rows) (collabdict.Rows, error) {
	of = p.scaling.Rows(of)
	if p.projection != nil {
		of = p.projection.Rows(of)
	}
	x, err := rows.Dense(of)
	if err != nil {
		return nil, err
	}
	return rows.InMemory(x), nil
}

// project projects the scaled rows to principal axes. Rows in memory are projected once.
func (t *Task) project(ctx context.Context, g collabdict.Group, of collabdict.Rows, out *prepared) error {
	scaled := out.scaling.Rows(of)
	axes, err := columnstats.PrincipalAxes(ctx, g, scaled, t.PCA)
	if err != nil {
		return err
	}
	p := rows.Onto(axes)
	if w := flatWarning(p); w != "" {
		out.warnings = append(out.warnings, w)
	}
	along, err := t.axisScaling(ctx, g, p, scaled)
	if err != nil {
		return fmt.Errorf("pca: %w", err)
	}
	out.projection = p.Scaled(along)
	out.rows = out.projection.Rows(scaled)
	if dataset.Streams(of) || lanes.OriginOf(of) != nil {
		return nil
	}
	x, err := rows.Dense(out.rows)
	if err != nil {
		return err
	}
	out.rows = rows.InMemory(x)
	return nil
}

// axisScaling returns the scaling of the principal axes.
func (t *Task) axisScaling(ctx context.Context, g collabdict.Group, p *rows.Projection, scaled collabdict.Rows) (rows.Scaling, error) {
	if t.Normalise == MinMax {
		s, _, err := minMax(columnstats.Extremes(ctx, g, p.Rows(scaled)))
		return s, err
	}
	s := rows.Unscaled(len(p.Variances))
	for i, v := range p.Variances {
		if v > flat*p.Total {
			s.Scale[i] = math.Sqrt(v)
		}
	}
	return s, nil
}

// Prepared returns a participant's rows in the coordinates that a solo run would use.
func (t *Task) Prepared(ctx context.Context, p dataset.Participant) (collabdict.Rows, error) {
	out, err := t.prepare(ctx, collabdict.Solo{}, p, nil)
	if err != nil {
		return nil, err
	}
	return out.rows, nil
}

// OfScaled returns the task for rows that their owners have already scaled.
func (t *Task) OfScaled() *Task {
	of := *t
	of.Standardise = algorithm.None
	return &of
}

// errConstant means that no column varies in the rows by which columns are scaled, so nothing can be
// learned from them. It ends a member's part before any statistics of its rows.
var errConstant = errors.New("rows: want a column that varies, got one value in each column of all training rows: take other rows or columns, or leave this participant out")

// constantWarning returns a warning that names the first few constant columns.
func constantWarning(in string, columns []string, constant []int) string {
	const most = 12
	var names []string
	for _, c := range constant[:min(most, len(constant))] {
		names = append(names, columns[c])
	}
	list := strings.Join(names, ", ")
	if more := len(constant) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "constant in " + in + ", so not scaled: " + list
}

// flat is the share of the variance below which an axis counts as flat.
const flat = 1e-9

// flatWarning returns a warning about axes along which the rows do not vary.
func flatWarning(p *rows.Projection) string {
	last := len(p.Variances)
	first := slices.IndexFunc(p.Variances, func(v float64) bool { return !(v > flat*p.Total) })
	if first < 0 {
		return ""
	}
	return fmt.Sprintf("pca: %d of the %d axes have no variance: use at most %d", last-first, last, first)
}

// withoutCells names the column if err says that all its cells are missing.
func withoutCells(err error, columns []string) error {
	var empty *partial.EmptyError
	if !errors.As(err, &empty) {
		return err
	}
	return fmt.Errorf("column %q has no value in any training row; leave the column out with --ignore, or leave the participant out", columns[empty.Column])
}
