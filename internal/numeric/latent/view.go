package latent

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// A View holds codes and losses of some rows.
type View struct {
	report.Reconstruction
	// Places holds the indices of the viewed rows among all.
	Places []int
	// Codes has one row per viewed row and one column per latent variable: the means of the
	// posterior.
	Codes *mat.Dense
	// Lost holds the squared reconstruction error of each row, summed over columns.
	Lost []float64
}

// Most is the largest number of rows viewed; of more rows, a selection is taken.
const Most = 5000

// At returns the view of at least one row, in the units of the data. The model's scorer must be
// an [algorithm.Coder].
func At(m *model.Model, rows collabdict.Rows) (*View, error) {
	n, _ := rows.Dims()
	v := &View{Places: evenly(n, Most)}
	v.Rows, v.Of = len(v.Places), n
	latent := m.Learned.(algorithm.Coder).Latent()
	v.Codes = mat.NewDense(v.Rows, latent, nil)
	var squares, values moments
	err := eachBlock(rows, v.Places, func(x *mat.Dense, from int) error {
		decoded, codes, err := decode(m, x)
		if err != nil {
			return err
		}
		count, _ := x.Dims()
		v.Codes.Slice(from, from+count, 0, latent).(*mat.Dense).Copy(codes)
		m.Scaling.ApplyTo(x, x)
		m.Scaling.ApplyTo(decoded, decoded)
		values.add(x)
		decoded.Sub(decoded, x)
		decoded.MulElem(decoded, decoded)
		squares.add(decoded)
		for i := range count {
			v.Lost = append(v.Lost, mat.Sum(decoded.RowView(i)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	v.SquaredError = stat.Mean(v.Lost, nil)
	for j, name := range m.Manifest.Columns {
		v.Columns = append(v.Columns, report.ReconstructedColumn{Name: name, SquaredError: squares.mean[j], Variance: values.variance(j)})
	}
	slices.SortStableFunc(v.Columns, func(a, b report.ReconstructedColumn) int { return cmp.Compare(b.SquaredError, a.SquaredError) })
	var codes moments
	codes.add(v.Codes)
	for j := range latent {
		v.Variances = append(v.Variances, codes.variance(j))
	}
	return v, nil
}

// Active returns the latent variables, from 0, by falling variance of their codes.
func (v *View) Active() []int {
	all := make([]int, len(v.Variances))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(v.Variances[b], v.Variances[a]) })
	return all
}

// Scores returns the anomaly scores of the viewed rows.
func (v *View) Scores(m *model.Model, rows collabdict.Rows) (scores []float64, err error) {
	err = eachBlock(rows, v.Places, func(x *mat.Dense, _ int) error {
		block, err := m.Scores(m.Trained(x))
		scores = append(scores, block...)
		return err
	})
	return scores, err
}

// Decoded returns the rows at places and their reconstructions, both in the units of the data.
func Decoded(m *model.Model, rows collabdict.Rows, places []int) (x, decoded *mat.Dense, err error) {
	if x, err = read(rows, places); err == nil {
		decoded, _, err = decode(m, x)
	}
	return x, decoded, err
}

// decode returns the reconstructions and codes of rows, in the units of the data.
func decode(m *model.Model, x *mat.Dense) (decoded, codes *mat.Dense, err error) {
	coder := m.Learned.(algorithm.Coder)
	if codes, err = coder.Encode(m.Trained(mat.DenseCopyOf(x))); err != nil {
		return nil, nil, err
	}
	if decoded, err = coder.Decode(codes); err != nil {
		return nil, nil, err
	}
	return m.InUnits(decoded), codes, nil
}
