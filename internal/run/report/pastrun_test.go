package report

import "testing"

func TestLinesOfPastRuns(t *testing.T) {
	const id = "3f2a91c04d5e6f703f2a91c04d5e6f703f2a91c04d5e6f703f2a91c04d5e6f70"
	for want, p := range map[string]PastRun{
		"privacy: this run differs from the earlier run 3f2a91c04d5e6f70 by 1 member (site-c has other rows): by subtracting the totals, N, mean and covariance of the rows that differ become known to all members of both. Only noise, or at least 3 changes at once, hide it": {
			Run: id, Least: 1, Most: 1, Enough: 3, Changed: []string{"site-c"}, Known: "N, mean and covariance",
		},
		"privacy: this run differs from the earlier run 3f2a91c04d5e6f70 by 3 members (site-d was not in it; site-a, site-b were in it, and are not in this run): by subtracting the totals, for the sums that both runs made, the number of rows that differ and, up to the difference of the two models, their contribution become known to all members of both. Only noise, or at least 4 changes at once, hide it": {
			Run: id, Least: 3, Most: 3, Enough: 4, Joined: []string{"site-d"}, Left: []string{"site-a", "site-b"}, OtherSettings: true, Known: "the number of rows",
		},
		"privacy: this run may differ from the earlier run 3f2a91c04d5e6f70 by 1 member (1 more of its members is not in this run; site-b does not say whether its rows have changed): by subtracting the totals, the contribution of the rows that differ becomes, up to the difference of the two models, known to all members of both. Only noise, or at least 3 changes at once, hide it": {
			Run: id, Least: 1, Most: 2, Enough: 3, Unnamed: 1, Unknown: []string{"site-b"},
		},
		"privacy: this run may differ from the earlier run 3f2a91c04d5e6f70 by 1 member (site-a, site-b do not say whether their rows have changed): by subtracting the totals, N, mean and variances of the rows that differ become known to all members of both. Only noise, or at least 3 changes at once, hide it": {
			Run: id, Most: 2, Enough: 3, Unknown: []string{"site-a", "site-b"}, Known: "N, mean and variances",
		},
	} {
		if got := p.Line(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
