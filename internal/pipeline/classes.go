package pipeline

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/option"
)

// CheckLabels reports what is wrong with a participant's labels, if training depends on
// them.
func (t *Task) CheckLabels(p dataset.Participant) error {
	of := t.Traits().Classes
	switch {
	case of == nil:
		return nil
	case p.TrainLabels == nil:
		return &option.Error{Name: "label", Msg: "want the column of the classes, got none: " + of.Because, Hint: "say --label COLUMN"}
	}
	if _, err := classesOf(p, p.TrainLabels, of.Number); err != nil || !of.Learned {
		return err
	}
	_, err := classesOf(p, p.TestLabels, of.Number)
	return err
}

// CheckRows reports a participant of fewer rows than anything may be of that members show
// each other. What the others show gives away their sums over rows; with these, a sum over
// all leaves that of its own rows, even if it shows nothing else.
func (t *Task) CheckRows(p dataset.Participant) error {
	least := t.Traits().ShownRows
	if n, _ := p.Train.Dims(); n < least {
		return &option.Error{
			Name: "min-rows", Msg: fmt.Sprintf("want at least %d training rows of each participant, got %d of %s", least, n, p.Name),
			Hint: "leave it out (--split ...,min=ROWS), give it more rows, or agree on fewer, which may show single rows",
		}
	}
	return nil
}

// Learned returns the labels of a participant's training rows that training depends on, nil
// if it depends on none.
func (t *Task) Learned(p dataset.Participant) []float64 {
	if t.Traits().Classes == nil {
		return nil
	}
	return p.TrainLabels
}

// LabelFault reports as the rows are read what CheckLabels would report of them, as a
// [dataset.Spec] wants it; it is nil if labels may be any.
func (t *Task) LabelFault() func(label float64, train bool) (want, hint string) {
	of := t.Traits().Classes
	if of == nil {
		return nil
	}
	return func(label float64, train bool) (want, hint string) {
		if !train && !of.Learned {
			return "", ""
		}
		return classFault(label, of.Number)
	}
}

// LabelFault is that of rows that a model is measured on, or fitted to.
func LabelFault(m *model.Model) func(label float64, train bool) (want, hint string) {
	of := m.Classifier()
	if of == nil {
		return nil
	}
	return func(label float64, _ bool) (want, hint string) {
		return classFault(label, of.Classes())
	}
}

// classFault returns what is wanted of a label that is no class, or, if number is not 0, none
// of so many, and what to do; "" of any other.
func classFault(label float64, number int) (want, hint string) {
	switch {
	case label != math.Trunc(label) || !(label >= 0 && label < algorithm.MostClasses):
		return fmt.Sprintf("want a class, a whole number from 0 to %d", algorithm.MostClasses-1), "number the classes from 0, the same at all members"
	case number > 0 && label >= float64(number):
		return fmt.Sprintf("want a class from 0 to %d, as agreed", number-1), "train with more --classes"
	}
	return "", ""
}

// classesOf returns the classes that labels are; if number is not 0, there are so many.
func classesOf(p dataset.Participant, labels []float64, number int) ([]int, error) {
	if p.TextLabels {
		return nil, &dataset.Error{File: p.Name, Msg: "want labels that are whole numbers from 0, the same for a class at all members, got text", Hint: "number the classes"}
	}
	out := make([]int, len(labels))
	for i, l := range labels {
		if want, hint := classFault(l, number); want != "" {
			return nil, &dataset.Error{File: p.Name, Msg: fmt.Sprintf("label of row %d: %s, got %g", i+1, want, l), Hint: hint}
		}
		out[i] = int(l)
	}
	return out, nil
}
