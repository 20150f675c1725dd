package dataset

import (
	"strings"

	"github.com/collabdict/collabdict/internal/partition"
)

// Spec says what to load.
type Spec struct {
	// Data names files (of the endings in formats), folders and globs. In a folder, and
	// among what a glob matches, only data files count, sorted by name.
	Data []string
	// Name names the participant of [LoadOne]; "" is named like the first file.
	Name string
	// Split divides the rows among participants; the zero value is a
	// participant a file. [LoadOne] does not look at it.
	Split partition.Split
	// Label names the column of labels, "" for none.
	Label string
	// ClassLabels says that labels are classes even if all are 0, 1 or -1: those
	// of other participants are not.
	ClassLabels bool
	// LabelFault, if not nil, returns what is wanted of a label that cannot be used, as
	// "want a class", and what to do; "" of one that can. A label that is text is NaN.
	LabelFault func(label float64, train bool) (want, hint string)
	// Where keeps the training rows, TestWhere names the rows that are only
	// scored; the zero value is no condition. With Where, training rows are
	// those that match it. With TestWhere alone, training rows are the rest. A
	// row that meets both is only scored.
	// A row that is neither is dropped unread. Without TestWhere the training
	// rows are scored.
	Where, TestWhere Condition
	// Limit keeps the first Limit training rows of each participant; 0 keeps all.
	Limit int
	// Missing says what becomes of rows with missing cells of features: [RefuseMissing], which
	// is also "", [SkipMissing] or [KeepMissing]. Of a row to train on, one cell has to be
	// there.
	Missing string
	// Scored says that all rows are scored, and none trains: unless Missing refuses that, a
	// cell that is no number counts as missing, and a row may have no other cells.
	Scored bool
	// Rename gives columns other names, by their names in the files. All else in the Spec has the
	// new ones.
	Rename map[string]string
	// Units are those of features, by their names.
	Units map[string]Unit
	// Ignore names columns that are no features.
	Ignore []string
	// Columns, if not nil, names the features and their order, as a trained
	// model wants them; a file may hold others. nil takes every column that
	// has numbers (in CSV: in its first row, or where that is missing in a later one) and no
	// other part in the Spec.
	Columns []string
	// Seed deals the rows of splits that pool them.
	Seed uint64
	// MinRows leaves out participants with fewer training rows; a min= in
	// Split comes before it.
	MinRows int
	// Memory is how many bytes of values are held in memory. Rows that take
	// more stay where they are and are read whenever they are wanted. 0 holds all.
	Memory int64
	// Window, if not 0, has each column with its mean and standard deviation over the last
	// Window rows, as [rows.Windowed] says. A window holds consecutive rows of a participant in
	// one file, all training rows or all test rows: where a row of another kind is between, a
	// new one begins.
	Window int
	// Time names a column of times, numbers or RFC 3339, for windows. Rows have to be in their
	// order, and a step of more than three times the median begins a new window.
	Time string
	// CSV says how CSV files are written.
	CSV CSV
	// Float32 holds what is in memory in single precision.
	Float32 bool
	// pixels says that all files are of pixels, which are held as bytes.
	pixels bool
	// spools has what was read once, by its name.
	spools    map[string]*spool
	unordered []string
}

// Unit says in which unit the files have a feature, and to which it is converted.
type Unit struct {
	// Own is said of the files; "" where they have the agreed unit, or a row of units says another.
	Own, Agreed string
}

// Differs reports whether the files are said to have another unit than the agreed one.
func (u Unit) Differs() bool { return u.Own != "" && u.Own != u.Agreed }

// differs reports whether features are said to be in another unit than the agreed one.
func (s *Spec) differs() bool {
	for _, u := range s.Units {
		if u.Differs() {
			return true
		}
	}
	return false
}

// Condition is met by rows that hold Value in Column, as text. The zero value
// is no condition.
type Condition struct {
	Column, Value string
}

// ParseCondition reads column=value. "" is no condition.
func ParseCondition(s string) (Condition, error) {
	if s == "" {
		return Condition{}, nil
	}
	column, value, ok := strings.Cut(s, "=")
	column, value = strings.TrimSpace(column), strings.TrimSpace(value)
	if !ok || column == "" || value == "" {
		return Condition{}, &Error{Msg: "want a condition column=value, got \"" + s + "\""}
	}
	return Condition{Column: column, Value: value}, nil
}

// Given tells whether there is a condition.
func (c Condition) Given() bool { return c.Column != "" }

// String returns the form that [ParseCondition] reads.
func (c Condition) String() string {
	if !c.Given() {
		return ""
	}
	return c.Column + "=" + c.Value
}
