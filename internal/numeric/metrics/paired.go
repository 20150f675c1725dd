package metrics

import (
	"math"
	"slices"
)

// Quantile approximates the 97.5 % quantile of Student's t distribution for the mean of n values.
func Quantile(n int) float64 { return 2 + 3.5/float64(n-1) }

// A Paired has the scores of anomalies and of normal rows by two scorers.
type Paired struct {
	Anomalies, Normals [2][]float64
	// AnomalyGroups and NormalGroups are the lengths of groups of successive rows that may be alike.
	AnomalyGroups, NormalGroups []int
}

// normalGroup is the largest number of successive normal rows that count as one group, and
// fewestGroups the number of groups below which groups are smaller.
const (
	normalGroup  = 30
	fewestGroups = 8
)

// Faults pairs the scores of rows by two scorers. Faults in successive rows are a group. leftOut says which
// rows do not count, nil for none.
func Faults(a, b []float64, isFault, leftOut []bool) *Paired {
	p := &Paired{}
	follows := false // the row before is a fault that counts
	for i, is := range isFault {
		if leftOut != nil && leftOut[i] {
			follows = false
			continue
		}
		to := &p.Normals
		if is {
			to = &p.Anomalies
			if !follows {
				p.AnomalyGroups = append(p.AnomalyGroups, 0)
			}
			p.AnomalyGroups[len(p.AnomalyGroups)-1]++
		}
		follows = is
		to[0], to[1] = append(to[0], a[i]), append(to[1], b[i])
	}
	n := len(p.Normals[0])
	p.NormalGroups = Groups(n, max(n/normalGroup, min(n, fewestGroups)))
	return p
}

// Groups returns the lengths of groups of about n/groups rows each, n in all.
func Groups(n, groups int) (lengths []int) {
	for g := range groups {
		lengths = append(lengths, (g+1)*n/groups-g*n/groups)
	}
	return lengths
}

// Found returns the numbers of anomalies that score above all but the given share of the normal rows; 0 if
// there are no normal rows.
func (p *Paired) Found(share float64) (found [2]int) {
	for k := range 2 {
		normal := slices.Sorted(slices.Values(p.Normals[k]))
		if len(normal) == 0 {
			continue
		}
		limit := normal[len(normal)-1-int(share*float64(len(normal)))]
		for _, v := range p.Anomalies[k] {
			if v > limit {
				found[k]++
			}
		}
	}
	return found
}

// AUC returns the areas under the ROC curves of both scorers, NaN without anomalies or without normal rows,
// with the half-width of the 95 % confidence interval of their difference, by DeLong et al. (1988) over
// groups. ok is false if there are fewer than two groups of anomalies or of normal rows; half is then NaN.
func (p *Paired) AUC() (areas [2]float64, half float64, ok bool) {
	fewest := min(len(p.AnomalyGroups), len(p.NormalGroups))
	if fewest == 0 {
		return [2]float64{math.NaN(), math.NaN()}, math.NaN(), false
	}
	var gains, losses []float64 // of each anomaly, and of each normal row
	for k, sign := range []float64{1, -1} {
		for i, v := range above(p.Anomalies[k], p.Normals[k]) {
			if k == 0 {
				gains = append(gains, 0)
			}
			gains[i] += sign * v
			areas[k] += v / float64(len(p.Anomalies[k]))
		}
		for i, v := range above(p.Normals[k], p.Anomalies[k]) {
			if k == 0 {
				losses = append(losses, 0)
			}
			losses[i] += sign * v
		}
	}
	if fewest == 1 {
		return areas, math.NaN(), false
	}
	variance := groupVariance(gains, p.AnomalyGroups) + groupVariance(losses, p.NormalGroups)
	return areas, Quantile(fewest) * math.Sqrt(variance), true
}

// NormalDifference returns by how much the first scorer's mean score of normal rows exceeds the second's, with the
// half-width of its 95 % confidence interval over groups. ok is false if there are fewer than two groups.
func (p *Paired) NormalDifference() (mean, half float64, ok bool) {
	if len(p.NormalGroups) < 2 {
		return 0, 0, false
	}
	differences := make([]float64, len(p.Normals[0]))
	for i, v := range p.Normals[0] {
		differences[i] = v - p.Normals[1][i]
		mean += differences[i] / float64(len(differences))
	}
	return mean, Quantile(len(p.NormalGroups)) * math.Sqrt(groupVariance(differences, p.NormalGroups)), true
}

// above returns the share of other values below each value, equal ones counting half.
func above(values, others []float64) []float64 {
	sorted, out := slices.Sorted(slices.Values(others)), make([]float64, len(values))
	for i, v := range values {
		below, _ := slices.BinarySearch(sorted, v)
		upTo, _ := slices.BinarySearchFunc(sorted, v, func(other, v float64) int {
			if other <= v {
				return -1
			}
			return 1
		})
		out[i] = float64(below+upTo) / 2 / float64(len(sorted))
	}
	return out
}

// groupVariance returns the variance of the mean of values, over groups of the given lengths.
func groupVariance(of []float64, lengths []int) (variance float64) {
	n := float64(len(of))
	centre := 0.0
	for _, v := range of {
		centre += v / n
	}
	for _, length := range lengths {
		sum := 0.0
		for _, v := range of[:length] {
			sum += (v - centre) / n
		}
		variance, of = variance+float64(sum*sum), of[length:]
	}
	groups := float64(len(lengths))
	return variance * groups / (groups - 1)
}
