package multitask

import (
	"math"

	"github.com/collabdict/collabdict/vae"
)

// Encode returns the means of q(z|x), Eq. (27), of all rows, one after the other. Values larger
// than 10¹² are treated as 10¹².
func (m *Model) Encode(rows Rows) ([]float32, error) {
	n, columns := rows.Dims()
	if columns != m.Columns() {
		panic("multitask: rows to encode have other columns than the model")
	}
	codes := make([]float32, 0, n*m.Latent())
	err := vae.EachBlock(rows, math.MaxFloat64, func(_ int, x []float32) error {
		out, err := m.Encoder.Forward(x, nil)
		codes = appendMeans(codes, out, m.Latent())
		return err
	})
	return codes, err
}

const codedRows = 256

// Decode returns the means of p(x|z), Eq. (21), for codes z of d values each, row by row.
func (m *Model) Decode(codes []float32) ([]float32, error) {
	d, columns := m.Latent(), m.Columns()
	rows := make([]float32, 0, len(codes)/d*columns)
	for len(codes) > 0 {
		n := min(codedRows*d, len(codes))
		out, err := m.Decoder.Forward(codes[:n], nil)
		if err != nil {
			return nil, err
		}
		rows = appendMeans(rows, out, columns)
		codes = codes[n:]
	}
	return rows, nil
}

// appendMeans appends the first half of each row of outputs, the means of distributions over
// dim dimensions.
func appendMeans(to, outputs []float32, dim int) []float32 {
	for ; len(outputs) > 0; outputs = outputs[2*dim:] {
		to = append(to, outputs[:dim]...)
	}
	return to
}
