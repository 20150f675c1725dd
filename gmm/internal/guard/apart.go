package guard

import "github.com/collabdict/collabdict/gmm/privacy"

// Apart makes sums over the own rows of a start, in several mixtures of k clusters each, by
// the rule of diversity. Sums is called with the clusters that no row may be of, nil where
// the rule changes nothing, and says how the rows share in each; Apart returns the last sums.
// At least one cluster of each mixture is left. Parts of less than a row are looked at as
// well: rows that are not of a cluster in one step may be in the next. In a start there is no posterior to draw from, and
// nothing to stop for while places of clusters are only tried: whatever the policy is, rows
// count for other clusters.
func Apart[T any](rule privacy.Rule, mixtures, k int, sums func(without []bool) (T, []privacy.Shares, error)) (T, error) {
	if !rule.Acts() {
		out, _, err := sums(nil)
		return out, err
	}
	without, left := make([]bool, mixtures*k), make([]int, mixtures)
	for {
		out, shares, err := sums(without)
		if err != nil {
			return out, err
		}
		again := false
		for i := range mixtures {
			leave := func(at int) {
				if left[i] < k-1 {
					without[i*k+at], again = true, true
					left[i]++
				}
			}
			own := shares[i*k : (i+1)*k]
			before := left[i]
			for at, s := range own {
				if !s.Live() && s.Below(rule.Least) {
					leave(at)
				}
			}
			if low := leastDiverse(own, rule.Least, func(at int) bool { return without[i*k+at] }); low >= 0 && left[i] == before {
				leave(low)
			}
		}
		if !again {
			return out, nil
		}
	}
}
