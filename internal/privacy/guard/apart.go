package guard

import "github.com/collabdict/collabdict/internal/privacy"

// Apart computes sums over the own rows for a start of several mixtures with k clusters each,
// and applies the rule of diversity. It calls sums with the clusters that no row may belong to
// (nil if the rule changes nothing); sums also returns how rows share in each cluster. Apart
// returns the last sums.
//
// At least one cluster of each mixture is left. Parts of less than one row are checked, too,
// because rows may join a cluster in the next step. A start has no posterior to draw from, and
// nothing to stop for while it only tries places for clusters. So whatever the policy is, rows
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
				if !s.Live() && rule.Below(s) {
					leave(at)
				}
			}
			if low := leastDiverse(own, rule, func(at int) bool { return without[i*k+at] }); low >= 0 && left[i] == before {
				leave(low)
			}
		}
		if !again {
			return out, nil
		}
	}
}
