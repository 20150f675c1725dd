package cli

import (
	"encoding/csv"
	"io"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// noteGaps prints unusual formats of files, and which cells were missing.
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

// writeLines writes CSV about the rows of spec: the header once rows can be read, then the
// lines for each block of rows with their numbers. It notes missing cells.
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
	w.Flush() // also after an error, so that the last line is complete
	if err != nil {
		return err
	}
	a.noteGaps(&gaps)
	return w.Error()
}
