package machines

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/networks/multitask"
)

// explained records the share of a participant's rows that the model reconstructs. A model that
// detects anomalies should not reconstruct them.
func (o *outcome) explained(m *multitask.Model, p participant) error {
	for _, of := range []struct {
		rows *mat.Dense
		to   *[]float64
	}{
		{p.held, &o.Explained},
		{take(p.test, func(row int) bool { return p.labels[row] != 1 }), &o.ExplainedNormal},
		{take(p.test, func(row int) bool { return p.labels[row] == 1 }), &o.ExplainedAnomalies},
	} {
		shares, err := sharesExplained(m, of.rows)
		if err != nil {
			return err
		}
		*of.to = append(*of.to, quantile(shares, 0.5))
	}
	return nil
}

// sharesExplained returns 1 − |x − μ|²/|x|² for each row x, where μ is the decoder's mean at
// the encoder's mean. It is 0 for the mean row of training.
func sharesExplained(m *multitask.Model, rows *mat.Dense) ([]float64, error) {
	n, width := rows.Dims()
	var out []float64
	x := make([]float32, width)
	for i := range n {
		for j, v := range rows.RawRowView(i) {
			x[j] = float32(v)
		}
		code, err := m.Encoder.Forward(x, nil)
		if err != nil {
			return nil, err
		}
		means, err := m.Decoder.Forward(code[:m.Latent()], nil)
		if err != nil {
			return nil, err
		}
		rest, whole := 0.0, 0.0
		for j, v := range x {
			d := float64(v - means[j])
			rest, whole = rest+d*d, whole+float64(v)*float64(v)
		}
		out = append(out, 1-rest/whole)
	}
	return out, nil
}
