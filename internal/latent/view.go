package latent

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/model"
)

// View is what a model makes of some rows.
type View struct {
	report.Reconstruction
	// Places are those of the rows looked at, among all.
	Places []int
	// Codes are theirs, a row each by latent variables: the means of the distributions.
	Codes *mat.Dense
	// Lost is the squared error of each of them, summed over columns.
	Lost []float64
}

// Most is how many rows are looked at; of more, so many are chosen.
const Most = 5000

// At shows at least one row, in the units of the data. The model's
// scorer is a [algorithm.Coder].
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

// Active returns the latent variables, from 0, those whose codes vary most first.
func (v *View) Active() []int {
	all := make([]int, len(v.Variances))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(v.Variances[b], v.Variances[a]) })
	return all
}

// Scores returns the anomaly scores of the rows looked at.
func (v *View) Scores(m *model.Model, rows collabdict.Rows) (scores []float64, err error) {
	err = eachBlock(rows, v.Places, func(x *mat.Dense, _ int) error {
		block, err := m.Scores(m.Trained(x))
		scores = append(scores, block...)
		return err
	})
	return scores, err
}

// Decoded returns the rows at some places, and what their codes are decoded to, both in the
// units of the data.
func Decoded(m *model.Model, rows collabdict.Rows, places []int) (x, decoded *mat.Dense, err error) {
	if x, err = read(rows, places); err == nil {
		decoded, _, err = decode(m, x)
	}
	return x, decoded, err
}

// decode returns the codes of rows, and the rows that these stand for, in the units of the
// data.
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
