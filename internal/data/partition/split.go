package partition

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is a way to divide rows among participants.
type Kind int

const (
	// ByFile makes each file a participant, named after the file without its endings.
	ByFile Kind = iota
	// ByColumn makes each value of a column a participant of that name.
	ByColumn
	// IID shuffles all rows by the seed and deals them evenly to participants named p0001,
	// p0002 and so on.
	IID
	// Dirichlet deals the rows of each class in shares drawn from a symmetric Dirichlet
	// distribution. With a small Alpha, a few participants get most of a class.
	Dirichlet
	// Quantity gives each participant rows of Alpha classes, in equal shares.
	Quantity
	// Classes gives each participant rows of Least to Most classes, in equal shares.
	Classes
	// PCAKMeans gives each participant similar rows: for each class, those nearest to one
	// centroid (Rieger et al. 2020, section 3.3).
	PCAKMeans
)

// Dealt reports whether rows are pooled and dealt to participants named p0001, p0002 and so on,
// whatever file they come from.
func (k Kind) Dealt() bool { return k >= IID }

// Split says how rows are divided among participants.
type Split struct {
	Kind Kind
	// Column is the column of ByColumn, or of the classes.
	Column string
	// Clients is the number of participants that rows are dealt to.
	Clients int
	// Alpha is the parameter of Dirichlet and Quantity, Least and Most those of Classes.
	Alpha       float64
	Least, Most int
	// Shuffle is the share of rows that PCAKMeans permutes among participants at random.
	Shuffle float64
	// Min, if positive, leaves out participants with fewer training rows.
	Min int
}

const splitForms = "files, column=NAME, iid:clients=N, dirichlet:alpha=A,clients=N,label=NAME, quantity:alpha=C,clients=N,label=NAME, classes:least=C,most=C,clients=N,label=NAME or pca-kmeans:clients=N,shuffle=S,label=NAME, each with an optional min=ROWS (as files:min=20)"

// splitKinds lists the kinds by name, with the fields that each takes.
var splitKinds = []struct {
	name   string
	kind   Kind
	fields []string
}{
	{"files", ByFile, nil},
	{"iid", IID, []string{"clients"}},
	{"dirichlet", Dirichlet, []string{"alpha", "clients", "label"}},
	{"quantity", Quantity, []string{"alpha", "clients", "label"}},
	{"classes", Classes, []string{"least", "most", "clients", "label"}},
	{"pca-kmeans", PCAKMeans, []string{"clients", "shuffle", "label"}},
}

// Parse reads one of the forms that its errors list, each optionally followed by min=ROWS. ""
// means files.
func Parse(s string) (Split, error) {
	var split Split
	kind, rest := s, ""
	if i := strings.IndexAny(s, ":,"); i >= 0 {
		kind, rest = s[:i], s[i+1:]
	}
	wanted := []string{"column"}
	if strings.HasPrefix(s, "column=") {
		split.Kind, rest = ByColumn, s
	} else {
		known := false
		for _, k := range splitKinds {
			if kind == k.name || s == "" && k.kind == ByFile {
				split.Kind, wanted, known = k.kind, k.fields, true
			}
		}
		if !known {
			return Split{}, splitError(s, fmt.Sprintf("got kind %q", kind))
		}
	}
	given := map[string]bool{}
	for _, field := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' }) {
		key, value, _ := strings.Cut(field, "=")
		if key != "min" && !slices.Contains(wanted, key) {
			return Split{}, splitError(s, fmt.Sprintf("got unknown field %q", key))
		}
		if fault := split.set(key, value); fault != "" || given[key] {
			return Split{}, splitError(s, cmp.Or(fault, key+" needs one value"))
		}
		given[key] = true
	}
	for _, key := range wanted {
		if !given[key] {
			return Split{}, splitError(s, key+"="+map[bool]string{true: "NAME", false: "N"}[key == "label"]+" is missing")
		}
	}
	if split.Most < split.Least {
		return Split{}, splitError(s, fmt.Sprintf("most needs a number of at least least=%d, got %d", split.Least, split.Most))
	}
	return split, nil
}

// set sets one field. It returns what is wrong with it, or "".
func (p *Split) set(key, value string) (fault string) {
	whole := func(to *int, most int, of string) string {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > most {
			return fmt.Sprintf("%s needs a number%s, got %q", key, of, value)
		}
		*to = n
		return ""
	}
	switch key {
	case "min":
		return whole(&p.Min, math.MaxInt, " of rows of at least 1")
	case "clients":
		return whole(&p.Clients, 1e6, " from 1 to 1000000")
	case "least":
		return whole(&p.Least, 1e6, " of classes of at least 1")
	case "most":
		return whole(&p.Most, 1e6, " of classes of at least 1")
	case "alpha":
		var err error
		p.Alpha, err = strconv.ParseFloat(value, 64)
		if err != nil || !(p.Alpha > 0 && p.Alpha <= 1e6) {
			return fmt.Sprintf("alpha needs a number above 0, got %q", value)
		}
		if p.Kind == Quantity && p.Alpha != math.Trunc(p.Alpha) {
			return fmt.Sprintf("alpha needs a whole number of classes, got %q", value)
		}
	case "shuffle":
		var err error
		p.Shuffle, err = strconv.ParseFloat(value, 64)
		if err != nil || !(p.Shuffle >= 0 && p.Shuffle <= 1) {
			return fmt.Sprintf("shuffle needs a share of the rows from 0 to 1, got %q", value)
		}
	default:
		if value == "" {
			return key + " needs one name"
		}
		p.Column = value
	}
	return ""
}

func splitError(s, got string) error {
	return &Error{Msg: fmt.Sprintf("split %q: %s; want %s", s, got, splitForms)}
}

// String returns the form that [Parse] reads.
func (p Split) String() string {
	s, sep := "files", ":"
	if p.Kind != ByFile {
		sep = ","
	}
	switch p.Kind {
	case ByColumn:
		s = "column=" + p.Column
	case IID:
		s = fmt.Sprintf("iid:clients=%d", p.Clients)
	case Dirichlet:
		s = fmt.Sprintf("dirichlet:alpha=%g,clients=%d,label=%s", p.Alpha, p.Clients, p.Column)
	case Quantity:
		s = fmt.Sprintf("quantity:alpha=%g,clients=%d,label=%s", p.Alpha, p.Clients, p.Column)
	case Classes:
		s = fmt.Sprintf("classes:least=%d,most=%d,clients=%d,label=%s", p.Least, p.Most, p.Clients, p.Column)
	case PCAKMeans:
		s = fmt.Sprintf("pca-kmeans:clients=%d,shuffle=%g,label=%s", p.Clients, p.Shuffle, p.Column)
	}
	if p.Min > 0 {
		s += fmt.Sprintf("%smin=%d", sep, p.Min)
	}
	return s
}

// Error reports a split that cannot be parsed, or that the rows do not allow.
type Error struct {
	Column string // column of the classes, if they are at fault
	// Msg says what is wrong (wanted and got), Hint what to do.
	Msg, Hint string
}

func (e *Error) Error() string {
	text := e.Msg
	if e.Column != "" {
		text = fmt.Sprintf("column %q: %s", e.Column, text)
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}
