package report

import "fmt"

// Hidden describes in words how a member's own part of a sum is hidden, and how well.
func (p Protection) Hidden() string {
	b := p.BreachPredicted
	switch {
	case b == nil:
		return ""
	case *b == 1:
		return "A member's own part of a sum is not hidden: others can work it out from what they see."
	case p.Colluders == 1:
		return fmt.Sprintf("A member's own part of a sum is hidden: another member works it out with probability %.2g.", *b)
	}
	return fmt.Sprintf("A member's own part of a sum is hidden: %d other members together work it out with probability %.2g.", p.Colluders, *b)
}
