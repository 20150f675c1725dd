package cli

import (
	"encoding/csv"
	"io"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// noteGaps prints unusual formats of files, and which cells were missing.
func (a *app) noteGaps(gaps *dataset.Gaps) {
	for _, line := range gaps.Forms() {
		a.note("%s", line)
	}
	for _, line := range gaps.Aside {
		a.note("%s", line)
	}
	if text := gaps.String(); text != "" {
		a.note("%s", text)
	}
	if text := gaps.Oddities(); text != "" {
		a.note("warning: %s", text)
	}
}

// writeLines writes CSV about the rows of spec: the header that head returns for the carried
// columns, once rows can be read, then the lines for each block that each reads. It notes missing cells.
func writeLines[B any](a *app, out io.Writer, spec dataset.Spec, head func(carried []string) []string,
	each func(dataset.Spec, func(carried []string) error, func(B) error) (dataset.Gaps, error),
	lines func(b B, write func([]string) error) error,
) error {
	w := csv.NewWriter(out)
	var first []string // the header until it is written
	write := func(line []string) error {
		if first != nil {
			if err := w.Write(first); err != nil {
				return err
			}
			first = nil
		}
		return w.Write(line)
	}
	spec.Tell = func(line string) { a.note("warning: %s", line) }
	gaps, err := each(spec, func(carried []string) error {
		first = head(carried)
		return nil
	}, func(b B) error {
		if err := lines(b, write); err != nil {
			return err
		}
		w.Flush() // somebody may wait for the lines
		return w.Error()
	})
	if err == nil && first != nil { // there are no rows
		err = w.Write(first)
	}
	w.Flush() // also after an error, so that the last line is complete
	if err != nil {
		return err
	}
	a.noteGaps(&gaps)
	return w.Error()
}
