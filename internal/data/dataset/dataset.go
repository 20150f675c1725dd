package dataset

import "github.com/collabdict/collabdict"

// A Participant is one organisation's rows.
type Participant struct {
	Name string
	// Columns holds the names of the columns, the same for all participants.
	Columns []string
	// Train (rows × columns) is for training. Test is for scoring: it equals Train if the Spec
	// names no test rows, and is nil if this participant has none.
	Train, Test collabdict.Rows
	// TrainLabels and TestLabels have one entry per row, or are nil without a label column. 1
	// is an anomaly, 0 and -1 are normal. Labels that are text are numbers from 2, see
	// [Dataset].
	TrainLabels, TestLabels []float64
	// ClassLabels reports whether labels are classes, because some row of the data set has a
	// label other than 0, 1 and -1. This participant's own labels may still all be 0 and 1.
	ClassLabels bool
	// TextLabels reports whether labels are text. Their numbers are valid in this data set
	// only.
	TextLabels bool
	// Begins and TestBegins are the rows at which windows begin, if the Spec asks for windows.
	Begins, TestBegins []int
	// labelled and labels are the training rows before known anomalies were left out; labelled is nil if
	// none were.
	labelled collabdict.Rows
	labels   []float64
}

// A Dataset is the result of loading.
type Dataset struct {
	// Columns holds the names of the features.
	Columns []string
	// Participants are sorted by name. [LoadOne] returns one.
	Participants []Participant
	// LeftOut lists the participants with too few training rows, sorted by name.
	LeftOut []LeftOut
	// Ignored lists columns that are no features because their first value is not a number.
	Ignored []string
	// Suspects lists features that are probably times, row numbers or labels, judged by the
	// training rows, and columns of words that are probably labels.
	Suspects []Suspect
	// Sentinels has a line for each feature of a participant whose training rows have values that may
	// stand for missing ones, such as -9999.
	Sentinels []string
	// Gaps describes the missing cells of the files.
	Gaps Gaps
	// Uncopied is why rows that are slow to read are read again for each pass, nil if none are.
	Uncopied error
	// Classes holds the labels that are text, sorted: label 2+i is Classes[i], so that none is
	// mistaken for normal or anomaly. It is nil if labels are numbers.
	Classes []string
	// FirstClass is the first label other than 0, 1 and -1, after its place as [Error] writes
	// it; "" if there is none.
	FirstClass string
}

// LeftOut is a participant with too few training rows.
type LeftOut struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}
