package task

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm/ggm"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/extremes"
	"github.com/collabdict/collabdict/internal/pca"
)

// Normalise says what a column is brought to.
type Normalise string

// The ways to normalise columns, and the axes that they are projected to.
const (
	Standard Normalise = ""       // mean 0 and variance 1
	MinMax   Normalise = "minmax" // the range from 0 to 1
)

// prepared is rows in the coordinates trained on, and how they came there: columns are
// scaled first, and then projected to axes, which are normalised as columns are, but
// always by the rows of all.
type prepared struct {
	scaling    dataset.Scaling
	projection *pca.Projection // nil if there is none
	rows       dataset.Rows
	common     *ggm.Common // what is known of all rows; nil if nothing is
	warnings   []string
}

// prepare brings a participant's rows to the coordinates trained on.
func (t Task) prepare(ctx context.Context, g collabdict.Group, p dataset.Participant) (*prepared, error) {
	if err := t.CheckColumns(len(p.Columns)); err != nil {
		return nil, err
	}
	out := &prepared{}
	var constant []int
	var err error
	if out.scaling, constant, out.common, err = t.scaling(ctx, g, p.Columns, p.Train); err != nil {
		return nil, fmt.Errorf("standardise: %w", err)
	}
	if len(constant) > 0 {
		out.warnings = append(out.warnings, constantWarning("training", p.Columns, constant))
	}
	if t.Standardise == Agreed {
		outside, err := t.Ranges.outside(p.Columns, p.Train)
		if err != nil {
			return nil, err
		}
		if outside != "" {
			out.warnings = append(out.warnings, outside)
		}
	}
	if t.PCA == 0 {
		out.rows = out.scaling.Copy(p.Train)
		return out, nil
	}
	return out, t.project(ctx, g, p.Train, out)
}

// project goes on with rows that out has the scaling of. Those in memory are projected
// once.
func (t Task) project(ctx context.Context, g collabdict.Group, rows dataset.Rows, out *prepared) error {
	scaled := out.scaling.Rows(rows)
	var p *pca.Projection
	var err error
	if out.common != nil { // standardised by the moments of all: these have been summed
		p, err = pca.FromMoments(make([]float64, len(out.scaling.Scale)), out.common.Covariance(), t.PCA)
	} else {
		p, err = pca.Fit(ctx, g, scaled, t.PCA)
	}
	if err != nil {
		return err
	}
	if w := flatWarning(p); w != "" {
		out.warnings = append(out.warnings, w)
	}
	along, err := t.axisScaling(ctx, g, p, scaled)
	if err != nil {
		return fmt.Errorf("pca: %w", err)
	}
	out.projection = p.Scaled(along)
	out.rows, out.common = out.projection.Rows(scaled), nil
	if dataset.Streams(rows) {
		return nil
	}
	x, err := dataset.Dense(out.rows)
	if err != nil {
		return err
	}
	out.rows = dataset.InMemory(x)
	return nil
}

// axisScaling returns how rows along the axes are normalised.
func (t Task) axisScaling(ctx context.Context, g collabdict.Group, p *pca.Projection, scaled dataset.Rows) (dataset.Scaling, error) {
	if t.Normalise == MinMax {
		s, _, err := extremes.Fit(ctx, g, p.Rows(scaled))
		return s, err
	}
	s := dataset.Unscaled(len(p.Variances))
	for i, v := range p.Variances {
		if v > flat*p.Total {
			s.Scale[i] = math.Sqrt(v)
		}
	}
	return s, nil
}

// Prepared returns rows in the coordinates that who has nobody else trains on.
func (t Task) Prepared(ctx context.Context, p dataset.Participant) (dataset.Rows, error) {
	out, err := t.prepare(ctx, collabdict.Solo{}, p)
	if err != nil {
		return nil, err
	}
	return out.rows, nil
}

// OfScaled is the task of rows that each owner has scaled by itself.
func (t Task) OfScaled() Task {
	t.Standardise = None
	return t
}

// OwnScaling returns the scaling of a participant by its own rows, and the columns that
// are constant.
func OwnScaling(by Normalise, rows dataset.Rows) (dataset.Scaling, []int, error) {
	if by == MinMax {
		return extremes.Own(rows)
	}
	return dataset.Own(rows)
}

// CheckColumns reports what cannot be done with data of so many columns, as *Error.
func (t Task) CheckColumns(columns int) error {
	if t.PCA > columns {
		return wrong("pca", "want at most %d axes, as many as columns, got %d", columns, t.PCA)
	}
	return t.checkWeights(cmp.Or(t.PCA, columns))
}

// constantWarning names the first few of the columns that are constant in some rows.
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
	return "constant in " + in + ", so left unscaled: " + list
}

// flat is the share of the variance below which an axis has none.
const flat = 1e-9

// flatWarning tells of axes along which rows do not vary.
func flatWarning(p *pca.Projection) string {
	last := len(p.Variances)
	first := slices.IndexFunc(p.Variances, func(v float64) bool { return !(v > flat*p.Total) })
	if first < 0 {
		return ""
	}
	return fmt.Sprintf("pca: %d of the %d axes have no variance: take at most %d", last-first, last, first)
}
