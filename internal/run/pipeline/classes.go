package pipeline

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/option"
)

// CheckLabels reports the first label that training cannot use, if the algorithm trains on
// labels.
func (t *Task) CheckLabels(p dataset.Participant) error {
	of := t.Traits().Classes
	switch {
	case of == nil:
		return nil
	case p.TrainLabels == nil:
		return &option.Error{Name: "label", Msg: "want the column of the classes, got none: " + of.Because, Hint: "name it with --label COLUMN"}
	}
	if _, err := classesOf(p, p.TrainLabels, of.Number); err != nil || !of.Learned {
		return err
	}
	_, err := classesOf(p, p.TestLabels, of.Number)
	return err
}

// CheckRows returns an error if a participant has fewer rows than published values must rest on.
// Publishing nothing would not protect it: the others' published values reveal their sums over
// rows, and a sum over all members less these is this participant's own.
func (t *Task) CheckRows(p dataset.Participant) error {
	least := t.Traits().ShownRows
	if n, _ := p.Train.Dims(); n < least {
		return &option.Error{
			Name: "min-rows", Msg: fmt.Sprintf("want at least %d training rows per participant, got %d from %s", least, n, p.Name),
			Hint: "leave it out (--split ...,min=ROWS), give it more rows, or agree on a smaller number, which may reveal single rows",
		}
	}
	return nil
}

// Learned returns the labels of the training rows, or nil if the algorithm does not train on
// labels.
func (t *Task) Learned(p dataset.Participant) []float64 {
	if t.Traits().Classes == nil {
		return nil
	}
	return p.TrainLabels
}

// LabelFault returns a check that reports what CheckLabels would, row by row while a
// [dataset.Spec] reads them. It is nil if any label is allowed.
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

// LabelFault returns the same check for rows that a finished model is evaluated on or fitted
// to.
func LabelFault(m *model.Model) func(label float64, train bool) (want, hint string) {
	of := m.Classifier()
	if of == nil {
		return nil
	}
	return func(label float64, _ bool) (want, hint string) {
		return classFault(label, of.Classes())
	}
}

// classFault returns the values wanted and a hint if a label is not a class; both are empty
// otherwise. If number is not 0, classes are below it.
func classFault(label float64, number int) (want, hint string) {
	switch {
	case label != math.Trunc(label) || !(label >= 0 && label < algorithm.MostClasses):
		return fmt.Sprintf("want a class, a whole number from 0 to %d", algorithm.MostClasses-1), "number the classes from 0, in the same way at all members"
	case number > 0 && label >= float64(number):
		return fmt.Sprintf("want a class from 0 to %d, as agreed", number-1), "train with more --classes"
	}
	return "", ""
}

// classesOf converts labels to classes. If number is not 0, classes are below it.
func classesOf(p dataset.Participant, labels []float64, number int) ([]int, error) {
	if p.TextLabels {
		return nil, &dataset.Error{File: p.Name, Msg: "want labels that are whole numbers from 0, with the same number for a class at all members, got text", Hint: "number the classes"}
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
