package dataset

import (
	"strings"

	"github.com/collabdict/collabdict/internal/data/partition"
)

// A Spec says what to load.
type Spec struct {
	// Data lists files (with the endings in formats), folders and globs. In folders and globs,
	// only data files count, sorted by name; those with the endings in others count if there is no other kind.
	Data []string
	// Engine, if not empty, is a program with its arguments that reads the rows in place of this
	// package. Data are then addresses for it.
	Engine []string
	// Name is the participant's name for [LoadOne]; "" means that of the first file.
	Name string
	// Split divides the rows among participants; the zero value makes each file a participant.
	// [LoadOne] ignores it.
	Split partition.Split
	// Label is the column of labels, "" for none.
	Label string
	// Anomaly is the label of anomalies, or several separated by commas, in any case: all others are normal, and so
	// are rows without one. "" means 1.
	Anomaly string
	// Anomalies declares that labels tell anomalies unless they are classes. Labels that do not say
	// which of them mean anomalies are then errors.
	Anomalies bool
	// Normal leaves known anomalies out of training. Without TestWhere, all rows are then scored.
	Normal bool
	// ClassLabels declares labels to be classes even if all are 0, 1 or -1, because other
	// participants have other labels.
	ClassLabels bool
	// LabelFault, if not nil, returns the value wanted, such as "want a class", and advice for
	// a label that cannot be used, and "" for any other. A label that is text is NaN.
	LabelFault func(label float64, train bool) (want, hint string)
	// Where selects the training rows, and TestWhere the rows that are only scored; the zero
	// value selects none. With TestWhere alone, all other rows train. A row that meets both is
	// only scored; a row that meets neither is dropped unread. Without TestWhere, the training
	// rows are scored.
	Where, TestWhere Condition
	// Limit is the number of training rows kept per participant; 0 keeps all.
	Limit int
	// Missing is the treatment of rows with missing features: [RefuseMissing], which is also
	// "", [SkipMissing] or [KeepMissing]. A training row needs at least one cell.
	Missing string
	// Scored declares that all rows are scored and none trains. Unless Missing refuses that, a
	// cell that is no number then counts as missing, and a row may have no cells at all. Numbers
	// beyond the usable ones, such as infinities, count as the largest usable ones.
	Scored bool
	// Tell, if not nil, is called as rows are read of a source that can be read only once: with a line about
	// the first cell of each column that is missing, or is no number, and about the first key that is no column.
	Tell func(line string)
	// Rename maps names of columns in the files to new ones, which the rest of the Spec uses.
	Rename map[string]string
	// Units holds the units of features by name.
	Units map[string]Unit
	// Ignore lists columns that are no features.
	Ignore []string
	// Columns, if not nil, lists the features in order, as a trained model needs them; files
	// may have others. If it is nil, every column with numbers and no other role is a feature.
	// In CSV, a column holds numbers if most of its first cells do.
	Columns []string
	// Carry lists the columns whose cells [Scan] passes on, as far as a file has them; the
	// first file must have all. If it is nil, these are all that are no features.
	Carry []string
	// Piece, if not nil, declares the file in Data to be one of several files, or a piece of one, that are read apart.
	// Of the file, only the rows are read that begin within these bytes: lines of CSV, or row groups of Parquet. It may
	// lack columns of Carry, and need not have rows that meet a condition.
	Piece *Bytes
	// Series, if not nil, is what went before the rows that [Scan] reads, and is then what
	// went before the next.
	Series *Series
	// Skip is the number of rows at the beginning that [Scan] passes over, as an earlier scan has read them.
	Skip int
	// Seed determines the deal of splits that pool rows.
	Seed uint64
	// MinRows leaves out participants with fewer training rows. min= in Split takes precedence.
	MinRows int
	// Memory bounds the values held in memory, in bytes. Beyond it, rows stay in files that are
	// quick to read, and are read for each pass. The values of other sources are copied to
	// Folder. 0 holds all rows.
	Memory int64
	// Folder is the folder of that copy, a file without a name. It is "" for none; slow files
	// are then read for each pass, as if the disk had no room.
	Folder string
	// Window, if not 0, adds the mean and standard deviation of each column over the last
	// Window rows, as [rows.Windowed] does. A window holds consecutive rows of one participant
	// in one file, all for training or all for testing. A row of another kind begins a new
	// window. A negative number adds none, but finds where windows begin, for [Window].
	Window int
	// Time is a column of times, numbers or RFC 3339, for windows. Rows must be in their order.
	// A step of more than three times the median of those before it begins a new window.
	Time string
	// CSV says how CSV files are written.
	CSV CSV
	// Float32 holds rows in memory in single precision.
	Float32 bool
	// pixels reports whether all files hold pixels, which are kept as bytes.
	pixels bool
	// scanned reports whether rows are only scanned. Files of rows to be scored may then be empty.
	scanned bool
	// once holds the sources that can be read only once, by name.
	once      map[string]*once
	unordered []string
}

// A Unit is the unit of a feature in the files, and the unit it is converted to.
type Unit struct {
	// Own is the declared unit of the files. It is "" if it equals the agreed unit, or if a row
	// of units names it.
	Own, Agreed string
}

// Differs reports whether the declared unit of the files differs from the agreed one.
func (u Unit) Differs() bool { return u.Own != "" && u.Own != u.Agreed }

// differs reports whether a feature's declared unit differs from the agreed one.
func (s *Spec) differs() bool {
	for _, u := range s.Units {
		if u.Differs() {
			return true
		}
	}
	return false
}

// A Condition selects rows with Value in Column, compared as text. The zero value is no
// condition.
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

// Given reports whether there is a condition.
func (c Condition) Given() bool { return c.Column != "" }

// String returns the form that [ParseCondition] reads.
func (c Condition) String() string {
	if !c.Given() {
		return ""
	}
	return c.Column + "=" + c.Value
}
