package metrics

import "math"

// leastProbability replaces smaller probabilities of the right class in a cross-entropy, so
// that one confident error does not make the sum infinite.
const leastProbability = 0x1p-52

// Classes holds figures of a classifier.
type Classes struct {
	Accuracy     float64 // share of rows whose likeliest class is the right one
	CrossEntropy float64 // mean of −ln of the right classes' probabilities, in nats
	// AUC is the mean [ROCAUC] of each class against all others, over classes that some but not
	// all rows have; NaN if there is no such class.
	AUC float64
	// Recall is, for each class, the share of its rows that are classified as it; NaN for a
	// class without rows.
	Recall []float64
}

// OfClasses returns the figures of at least one row. probabilities holds number values per row;
// classes are the right ones, from 0.
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

// Likeliest returns the class with the largest probability or logit, the first in a tie.
func Likeliest[T float32 | float64](probabilities []T) (class int) {
	for k, p := range probabilities {
		if p > probabilities[class] {
			class = k
		}
	}
	return class
}
