package multitask

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Codes are the encoder's means, and rows the decoder's means, whatever other rows there are.
func TestCodes(t *testing.T) {
	c := Config{Latent: 2, Hidden: []int{5, 4}, Seed: 4}
	m, rows := NewModel(3, c), 2*codedRows+5
	x := mat.NewDense(rows, 3, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = float64(i%37) / 8
	}
	codes, err := m.Encode(matrix{x})
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := m.Decode(codes)
	if err != nil {
		t.Fatal(err)
	}
	if len(codes) != 2*rows || len(decoded) != 3*rows {
		t.Fatalf("%d values of codes, %d of rows", len(codes), len(decoded))
	}
	r := referenceOf(m, c)
	for _, i := range []int{0, 1, codedRows, rows - 1} {
		code := codes[2*i:][:2]
		if alone, err := m.Encode(matrix{mat.NewDense(1, 3, x.RawRowView(i))}); err != nil || !slices.Equal(alone, code) {
			t.Errorf("row %d: code %v alone, %v among others (%v)", i, alone, code, err)
		}
		want, _ := r.encode(x.RawRowView(i))
		near(t, code, want)
		want, _ = halves(affine([]float64{float64(code[0]), float64(code[1])}, r.decoder, []int{5, 4, 6}))
		near(t, decoded[3*i:][:3], want)
	}
}

func near(t *testing.T, got []float32, want []float64) {
	t.Helper()
	for i, w := range want {
		if math.Abs(float64(got[i])-w) > 1e-5 {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestCodesOfValuesThatAreNotFinite(t *testing.T) {
	m := NewModel(2, Config{Latent: 1})
	if _, err := m.Encode(matrix{mat.NewDense(1, 2, []float64{1, math.NaN()})}); err == nil {
		t.Error("a row with NaN has a code")
	}
	if _, err := m.Decode([]float32{float32(math.Inf(1))}); err == nil {
		t.Error("an infinite code has a row")
	}
}
