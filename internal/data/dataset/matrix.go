package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// LoadSymmetric reads a symmetric matrix from a CSV file without a header, plain or gzipped.
// Elements (i, j) and (j, i) may differ by rounding; it takes their mean. The error is an
// [*Error].
func LoadSymmetric(path string) (*mat.SymDense, error) {
	f, err := openFile(path, nil)
	if err != nil {
		return nil, err
	}
	defer f.close()
	rows, lines, err := readSquare(f)
	if err != nil {
		return nil, err
	}
	largest := 0.0
	for _, row := range rows {
		for _, v := range row {
			largest = math.Max(largest, math.Abs(v))
		}
	}
	s := mat.NewSymDense(len(rows), nil)
	for i := range rows {
		for j := range i + 1 {
			a, b := rows[i][j], rows[j][i]
			if math.Abs(a-b) > asymmetry*largest {
				return nil, &Error{
					File: path, Line: lines[i], Column: fmt.Sprint(j + 1),
					Msg:  fmt.Sprintf("want a symmetric matrix, got %g here and %g in row %d, column %d", a, b, j+1, i+1),
					Hint: "give a covariance matrix",
				}
			}
			s.SetSym(j, i, a/2+b/2)
		}
	}
	return s, nil
}

// asymmetry bounds the difference of two such elements, relative to the largest.
const asymmetry = 1e-9

// readSquare reads equally long rows of numbers, with their lines.
func readSquare(f *file) (rows [][]float64, lines []int, err error) {
	t := &csvFile{file: f}
	if err := t.begin(nil); err != nil {
		return nil, nil, err
	}
	for {
		place, err := t.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		line, row := place.line, make([]float64, len(t.record))
		for j, cell := range t.record {
			v, msg := usable(strings.TrimSpace(cell))
			if msg != "" {
				return nil, nil, &Error{File: f.path, Line: line, Column: fmt.Sprint(j + 1), Msg: msg, Hint: "give a matrix of numbers without a header"}
			}
			row[j] = v
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			return nil, nil, &Error{File: f.path, Line: line, Msg: fmt.Sprintf("want %d cells as in the first row, got %d", len(rows[0]), len(row)), Hint: "fix the row"}
		}
		rows, lines = append(rows, row), append(lines, line)
		if len(rows) > len(row) {
			return nil, nil, &Error{File: f.path, Line: line, Msg: fmt.Sprintf("want a square matrix, got more than %d rows of %d numbers", len(row), len(row)), Hint: "give a covariance matrix"}
		}
	}
	switch {
	case len(rows) == 0:
		return nil, nil, &Error{File: f.path, Msg: "the file is empty", Hint: "give a matrix of numbers without a header"}
	case len(rows) < len(rows[0]):
		return nil, nil, &Error{File: f.path, Msg: fmt.Sprintf("want a square matrix, got %d rows of %d numbers", len(rows), len(rows[0])), Hint: "give a covariance matrix"}
	}
	return rows, lines, nil
}
