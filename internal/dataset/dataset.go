package dataset

import "github.com/collabdict/collabdict"

// Participant is one organisation's rows.
type Participant struct {
	Name string
	// Columns names the columns of Train and Test, the same for all.
	Columns []string
	// Train (rows × columns) is trained on. Test is scored: the same rows
	// where the Spec names none for it, nil where none of them is here.
	Train, Test collabdict.Rows
	// TrainLabels and TestLabels have an entry a row, or are nil without a
	// label column: 1 is an anomaly, 0 and -1 are normal. Labels that are text
	// are numbers from 2 on, see [Dataset].
	TrainLabels, TestLabels []float64
	// ClassLabels says that labels are classes and no truth for a score, as some
	// row of whoever was loaded together has one other than 0, 1 and -1. The own
	// labels may be 0 and 1 alone all the same.
	ClassLabels bool
	// TextLabels says that labels are text, whose numbers are of what was loaded together
	// alone.
	TextLabels bool
	// begins and testBegins are the rows with which windows begin.
	begins, testBegins []int
}

// Dataset is what was loaded.
type Dataset struct {
	// Columns names the features.
	Columns []string
	// Participants are sorted by name. Of [LoadOne] there is one.
	Participants []Participant
	// LeftOut lists who had too few training rows, or none, sorted by name.
	LeftOut []LeftOut
	// Ignored lists columns that are no features because their first value is
	// not a number.
	Ignored []string
	// Suspects are features that are likely to be none, of the rows that train.
	Suspects []Suspect
	// Gaps says which cells of the files were missing.
	Gaps Gaps
	// Classes names labels that are text, sorted: label 2+i is Classes[i], so
	// that none is taken for normal or anomaly. nil if labels are numbers.
	Classes []string
	// FirstClass is the first label in the files other than 0, 1 and -1, behind where it is,
	// as [Error] writes it; "" if there is none.
	FirstClass string
}

// LeftOut is a participant with too few training rows.
type LeftOut struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}
