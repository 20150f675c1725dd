package metrics

import "math"

// leastProbability is what a right class of probability 0 counts as in a cross-entropy, so
// that a row that the model classifies wrongly with certainty does not make the sum infinite.
const leastProbability = 0x1p-52

// Classes are figures of a classifier.
type Classes struct {
	Accuracy     float64 // share of rows whose likeliest class is the right one
	CrossEntropy float64 // mean of −ln of the right classes' probabilities, in nats
	// AUC is the mean of [ROCAUC] of each class against all others, over the classes that
	// some, and not all, of the rows are of; NaN if there are none.
	AUC float64
	// Recall is the share of the rows of each class whose likeliest class it is; NaN of a
	// class that no row is of.
	Recall []float64
}

// OfClasses returns the figures of one row or more, by the
// probabilities of so many classes, row after row, and the right classes, from 0.
func OfClasses(probabilities []float64, number int, classes []int) Classes {
	c := Classes{Recall: make([]float64, number)}
	count := make([]float64, number)
	for i, class := range classes {
		p := probabilities[i*number:][:number]
		c.CrossEntropy -= math.Log(max(p[class], leastProbability)) / float64(len(classes))
		count[class]++
		if Likeliest(p) == class {
			c.Accuracy++
			c.Recall[class]++
		}
	}
	c.Accuracy /= float64(len(classes))
	scores, labels := make([]float64, len(classes)), make([]float64, len(classes))
	sum, known := 0.0, 0
	for k := range number {
		c.Recall[k] /= count[k]
		if count[k] == 0 || int(count[k]) == len(classes) {
			continue
		}
		for i, class := range classes {
			scores[i], labels[i] = probabilities[i*number+k], 0
			if class == k {
				labels[i] = 1
			}
		}
		if auc, ok := ROCAUC(scores, labels); ok {
			sum += auc
			known++
		}
	}
	c.AUC = sum / float64(known)
	return c
}

// Likeliest returns the class of largest probability, of several the first.
func Likeliest(probabilities []float64) (class int) {
	for k, p := range probabilities {
		if p > probabilities[class] {
			class = k
		}
	}
	return class
}
