package task

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/bounds"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
)

// CheckLabels reports what is wrong with a participant's labels, if the task is to learn
// them, or to weight by them.
func (t Task) CheckLabels(p dataset.Participant) error {
	all := [][]float64{p.TrainLabels}
	switch {
	case t.Weighting.Weights == FedDisco && p.TrainLabels == nil:
		return noLabel("the weights %s follow from classes", FedDisco)
	case t.Weighting.Weights == FedDisco:
	case t.Model != model.CGAU:
		return nil
	case p.TrainLabels == nil:
		return noLabel("the model %s learns classes", t.Model)
	default:
		all = append(all, p.TestLabels)
	}
	for _, labels := range all {
		if _, err := classesOf(p, labels, t.Networks.Classes); err != nil {
			return err
		}
	}
	return nil
}

func noLabel(format string, args ...any) error {
	return &Error{"label", "want the column of the classes, got none: " + fmt.Sprintf(format, args...), "say --label COLUMN"}
}

// Learned returns the labels of a participant's training rows that training depends on, nil
// if it depends on none.
func (t Task) Learned(p dataset.Participant) []float64 {
	if t.Model == model.CGAU || t.Weighting.Weights == FedDisco {
		return p.TrainLabels
	}
	return nil
}

// LabelFault says as the rows are read what CheckLabels would say of them, as a
// [dataset.Spec] wants it; nil if labels may be any.
func (t Task) LabelFault() func(label float64, train bool) (want, hint string) {
	if t.Model != model.CGAU && t.Weighting.Weights != FedDisco {
		return nil
	}
	return func(label float64, train bool) (want, hint string) {
		if !train && t.Model != model.CGAU {
			return "", ""
		}
		return classFault(label, t.Networks.Classes)
	}
}

// LabelFault is that of rows that a model is measured on, or fitted to.
func LabelFault(m *model.Model) func(label float64, train bool) (want, hint string) {
	if m.Classifier == nil {
		return nil
	}
	return func(label float64, _ bool) (want, hint string) {
		return classFault(label, m.Classifier.Classes())
	}
}

// classFault returns what is wanted of a label that is no class, or, if number is not 0, none
// of so many, and what to do; "" of any other.
func classFault(label float64, number int) (want, hint string) {
	switch {
	case label != math.Trunc(label) || !(label >= 0 && label < model.MostClasses):
		return fmt.Sprintf("want a class, a whole number from 0 to %d", model.MostClasses-1), "number the classes from 0, the same at all members"
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

// checkClasses reports a number of classes that cannot be.
func checkClasses(n int) error {
	if n != 0 && (n < 2 || n > model.MostClasses) {
		return wrong("classes", "want 2 to %d, or 0 to agree on as many as there are, got %d", model.MostClasses, n)
	}
	return nil
}

// agreeClasses returns one more than the largest class of all members. They learn it from a
// sum of how many have which as their largest.
func agreeClasses(ctx context.Context, g collabdict.Group, largest int) (int, error) {
	counts := make([]float64, model.MostClasses)
	counts[largest] = 1
	counts, err := g.Sum(ctx, counts, bounds.Append(nil, len(counts), 1))
	if err != nil {
		return 0, err
	}
	number := 2
	for c, n := range counts {
		if n > 0.5 {
			number = max(number, c+1)
		}
	}
	return number, nil
}
