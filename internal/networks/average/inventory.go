package average

import (
	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
)

// The entries of what this package's functions show.
const (
	updatesEntry collabdict.Entry = "updates"
	boundsEntry  collabdict.Entry = "bounds of updates"
)

// UpdatesItem describes the totals of a [Mean], given what changes are multiplied by.
func UpdatesItem(times string) algorithm.Item {
	return algorithm.Item{Entry: updatesEntry, What: "the changes of the network and the loss, " + times + ", and the sum of these factors", Form: algorithm.Summed, When: algorithm.EachRound}
}

// BoundsItem describes what [Bounds] shows about the values.
func BoundsItem(values string) algorithm.Item {
	return algorithm.Item{Entry: boundsEntry, What: "for how many members " + values + " lie between which powers of two", Form: algorithm.Summed, When: algorithm.EachRound}
}

// ConditionsItem describes what members learn about conditions; see the package documentation.
func ConditionsItem() algorithm.Item {
	return algorithm.Item{
		Entry: "conditions", Form: algorithm.Inferred, When: algorithm.EachRound,
		What: "from the change of the biases: the mean of all members' conditions, so of two members each learns the other's",
	}
}
