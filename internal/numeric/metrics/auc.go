package metrics

import (
	"iter"
	"math"
	"slices"
)

// ROCAUC returns the area under the receiver operating characteristic: the probability that an
// anomaly scores above a normal row, ties counting half. The result ok is false if labels do not
// hold both classes and nothing else, or if a score is NaN. The slices have equal length.
func ROCAUC(scores, labels []float64) (auc float64, ok bool) {
	steps, ok := ranked(scores, labels)
	if !ok {
		return 0, false
	}
	var above step
	var pairs float64 // won
	for s := range steps {
		pairs += s.normals * (above.anomalies + s.anomalies/2)
		above.anomalies += s.anomalies
		above.normals += s.normals
	}
	return pairs / (above.anomalies * above.normals), true
}

// PRAUC returns the average precision Σ (R_n − R_{n−1}) P_n over the thresholds n from the
// highest score down, without interpolation. Rows with equal scores enter together. ok is as in
// [ROCAUC].
func PRAUC(scores, labels []float64) (auc float64, ok bool) {
	steps, ok := ranked(scores, labels)
	if !ok {
		return 0, false
	}
	var found step
	for s := range steps {
		found.anomalies += s.anomalies
		found.normals += s.normals
		auc += s.anomalies * found.anomalies / (found.anomalies + found.normals)
	}
	return auc / found.anomalies, true
}

// step counts the rows with one score.
type step struct{ anomalies, normals float64 }

// ranked counts rows by score, highest first. Its memory is one number per row.
func ranked(scores, labels []float64) (steps iter.Seq[step], ok bool) {
	if len(scores) != len(labels) {
		panic("metrics: scores and labels have different lengths")
	}
	order := make([]int, len(scores))
	var all step
	for i := range order {
		order[i] = i
		all.count(labels[i])
		if math.IsNaN(scores[i]) || (labels[i] != 0 && labels[i] != 1 && labels[i] != -1) {
			return nil, false
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return func(yield func(step) bool) {
		var s step
		for k, i := range order {
			if k > 0 && scores[i] != scores[order[k-1]] {
				if !yield(s) {
					return
				}
				s = step{}
			}
			s.count(labels[i])
		}
		yield(s)
	}, all.anomalies > 0 && all.normals > 0
}

// count adds a row.
func (s *step) count(label float64) {
	if label == 1 {
		s.anomalies++
	} else {
		s.normals++
	}
}
