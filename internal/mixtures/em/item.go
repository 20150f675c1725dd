package em

import (
	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/mixtures"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Entry names all totals of a [Learner].
const Entry collabdict.Entry = "statistics"

// StatisticsItem describes the totals of a [Learner] with shared weights, given the name of the covariance and the blur.
func StatisticsItem(covariance string, blur float64) algorithm.Item {
	second := "the sum of their squares"
	if mixtures.Conserved(covariance) == algorithm.Covariances {
		second = "the sum of their products"
	}
	return algorithm.Item{
		Entry: Entry, Form: algorithm.Summed, When: algorithm.EachRound, Hidden: privacy.BlurHides(blur),
		What: "the number of all rows, and for each component the number of rows, their sum, " + second + ", and a bound of the likelihood",
	}
}
