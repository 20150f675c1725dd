package plants

import (
	"fmt"
	"strconv"
	"strings"
)

// A Spec describes the amount of data.
type Spec struct {
	// Participants is the number of plants, Rows the number of training rows of each, Columns
	// the number of sensors, and Patterns the number of operating patterns of all plants
	// together.
	Participants, Rows, Columns, Patterns int
	// TestRows is the number of test rows per plant; 0 means Rows.
	TestRows int
	// Ample, if not 0, is the number of training rows of the last plant.
	Ample int
}

// Demo returns the data of the demonstration. Plants have few training rows, so that one alone
// is clearly worse off; the last has enough. There are enough test rows to measure the
// difference.
func Demo() Spec {
	return Spec{Participants: 5, Rows: 120, Columns: 9, Patterns: 5, TestRows: 600, Ample: 6000}
}

// field is one number of a Spec in its text form.
type field struct {
	name     string
	min, max int
	value    *int
}

func (s *Spec) fields() []field {
	return []field{
		{"participants", 1, 1e6, &s.Participants},
		{"rows", 1, 1e7, &s.Rows},
		{"columns", 2, 1e4, &s.Columns},
		{"patterns", 1, 1e4, &s.Patterns},
	}
}

// ParseSpec reads a text such as participants=20,rows=200,columns=6,patterns=3: all four
// fields, in any order.
func ParseSpec(text string) (Spec, error) {
	var s Spec
	fields := s.fields()
	for _, part := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		f := find(fields, key)
		if f == nil {
			return Spec{}, specError(text, "got unknown field %q", key)
		}
		if *f.value != 0 {
			return Spec{}, specError(text, "%s stands twice", key)
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < f.min || n > f.max {
			return Spec{}, specError(text, "%s wants a whole number from %d to %d, got %q", key, f.min, f.max, value)
		}
		*f.value = n
	}
	for _, f := range fields {
		if *f.value == 0 {
			return Spec{}, specError(text, "%s is missing", f.name)
		}
	}
	return s, nil
}

func find(fields []field, name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

func specError(text, format string, args ...any) error {
	return fmt.Errorf("data to generate %q: %s; want participants=20,rows=200,columns=6,patterns=3", text, fmt.Sprintf(format, args...))
}

// String returns the form that [ParseSpec] reads, without TestRows and Ample.
func (s Spec) String() string {
	var parts []string
	for _, f := range s.fields() {
		parts = append(parts, fmt.Sprintf("%s=%d", f.name, *f.value))
	}
	return strings.Join(parts, ",")
}

func (s Spec) testRows() int {
	if s.TestRows > 0 {
		return s.TestRows
	}
	return s.Rows
}

// trainRows returns the training rows of plant s.
func (s Spec) trainRows(plant int) int {
	if s.Ample > 0 && plant == s.Participants-1 {
		return s.Ample
	}
	return s.Rows
}

// check panics on a Spec that ParseSpec would refuse.
func (s Spec) check() {
	for _, f := range s.fields() {
		if *f.value < f.min || *f.value > f.max {
			panic(fmt.Sprintf("plants: %s is %d, want %d to %d", f.name, *f.value, f.min, f.max))
		}
	}
	if s.TestRows < 0 || s.Ample < 0 {
		panic("plants: TestRows or Ample is negative")
	}
}
