package main

import (
	"encoding/csv"
	"io"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/dataset"
)

// noteGaps says how files are written, where that is unusual, and which cells were missing.
func (a *app) noteGaps(gaps *dataset.Gaps) {
	for _, line := range gaps.Forms() {
		a.note("%s", line)
	}
	if text := gaps.String(); text != "" {
		a.note("%s", text)
	}
	if text := gaps.Oddities(); text != "" {
		a.note("warning: %s", text)
	}
}

// writeLines writes CSV of the rows that spec names: the head once rows can be read, then
// what lines writes of each block of rows and their numbers. Missing cells are told of.
func (a *app) writeLines(out io.Writer, spec dataset.Spec, head []string, lines func(x *mat.Dense, numbers []int, write func([]string) error) error) error {
	w := csv.NewWriter(out)
	begun := false
	gaps, err := dataset.Scan(spec, func(x *mat.Dense, numbers []int) error {
		if !begun {
			begun = true
			if err := w.Write(head); err != nil {
				return err
			}
		}
		return lines(x, numbers, w.Write)
	})
	w.Flush() // after an error, too: the last line is a whole one
	if err != nil {
		return err
	}
	a.noteGaps(&gaps)
	return w.Error()
}
