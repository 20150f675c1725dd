package vae

import (
	"fmt"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
)

// SquaredError returns the sum of the squares of y−x over all rows of the given number of
// columns, and sets d to its derivatives by y. It sums within a row in float32, and over rows
// in float64. If the error of a row is not finite, the returned error names the row.
func SquaredError(d, y, x []float32, columns int) (float64, error) {
	sameShape(columns, d, y, x)
	total := 0.0
	for at := 0; at < len(y); at += columns {
		row := elementwise.Difference(d[at:at+columns], y[at:at+columns], x[at:at+columns])
		if row-row != 0 {
			return 0, lossNotFinite("squared error", at/columns, row)
		}
		total += float64(row)
	}
	return total, nil
}

// SoftmaxCrossEntropy returns the sum over rows of −ln of the probability that softmax of the
// row's logits gives to its label, from 0 to classes−1, and sets d to its derivatives by the
// logits. If the loss of a row is not finite, or its label out of range, the returned error
// names the row.
func SoftmaxCrossEntropy(d, logits []float32, labels []int, classes int) (float64, error) {
	sameShape(classes, d, logits)
	if len(labels)*classes != len(logits) {
		panic(fmt.Sprintf("vae: %d labels for %d rows", len(labels), len(logits)/classes))
	}
	total := 0.0
	for i, label := range labels {
		if label < 0 || label >= classes {
			return 0, fmt.Errorf("vae: row %d of the batch has label %d, want 0 to %d", i, label, classes-1)
		}
		row := crossEntropy(d[i*classes:][:classes], logits[i*classes:][:classes], label)
		if row-row != 0 {
			return 0, lossNotFinite("cross-entropy", i, row)
		}
		total += float64(row)
	}
	return total, nil
}

// Softmax sets p to the probabilities of rows of logits, with classes columns. p may be logits.
func Softmax(p, logits []float32, classes int) {
	sameShape(classes, p, logits)
	for at := 0; at < len(p); at += classes {
		softmax(p[at:at+classes], logits[at:at+classes])
	}
}

// softmax sets p to the probabilities. It returns the largest logit and Σ exp(logit − largest).
func softmax(p, logits []float32) (top, sum float32) {
	top = logits[0]
	for _, v := range logits[1:] {
		top = max(top, v) // NaN if any v is NaN
	}
	for j, v := range logits {
		p[j] = v - top
	}
	elementwise.Exp(p, p)
	for _, e := range p {
		sum += e
	}
	for j := range p {
		p[j] /= sum
	}
	return top, sum
}

func crossEntropy(d, logits []float32, label int) float32 {
	top, sum := softmax(d, logits)
	d[label]--
	return elementwise.LogOf(sum) - (logits[label] - top)
}

func lossNotFinite(name string, row int, got float32) error {
	return fmt.Errorf("vae: %s of row %d of the batch is %g: training has diverged, lower the learning rate or scale the data", name, row, got)
}

// sameShape panics unless all slices have the same number of rows, at least one, of the given
// number of columns.
func sameShape(columns int, all ...[]float32) {
	n := len(all[0])
	for _, x := range all {
		if len(x) != n || n == 0 || columns < 1 || n%columns != 0 {
			panic(fmt.Sprintf("vae: %d and %d numbers, want the same number of rows of %d", n, len(x), columns))
		}
	}
}
