package consensus

import "fmt"

// LoneChange says what becomes of a slot whose view would differ from that of an
// earlier one in so few members that the difference of two sums tells about them:
// up to one more than may collude.
type LoneChange string

// The policies.
const (
	// WarnOfLoneChange goes on; who keeps the record warns. The default.
	WarnOfLoneChange LoneChange = "warn"
	// AvoidLoneChange waits until those who are missing are back, or so many are
	// that their sum hides each.
	AvoidLoneChange LoneChange = "wait"
)

// loneChanges are the different views of the slots so far, where a view may not differ
// by few from them.
type loneChanges [][]uint32

// note remembers a view.
func (l *loneChanges) note(members []uint32) {
	for _, seen := range *l {
		if differ(seen, members) == 0 {
			return
		}
	}
	*l = append(*l, members)
}

// check returns why a view is not to be formed, "" if it may.
func (l loneChanges) check(members []uint32, colluders int) string {
	for _, seen := range l {
		if n := differ(seen, members); n > 0 && n <= colluders+1 {
			return fmt.Sprintf("the sum would differ from an earlier one by %d of the members alone: want none or at least %d", n, colluders+2)
		}
	}
	return ""
}

// differ counts the members that are in one of two views, in rank order, only.
func differ(a, b []uint32) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			a, b = a[1:], b[1:]
		case a[0] < b[0]:
			a, n = a[1:], n+1
		default:
			b, n = b[1:], n+1
		}
	}
	return n + len(a) + len(b)
}
