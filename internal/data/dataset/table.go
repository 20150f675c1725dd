package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/files/printable"
)

// A table is an open data file.
type table interface {
	// header returns the names of the columns.
	header() []string
	// kinds returns what the columns hold, by their types or by their first cells, and the place of
	// the first row. If all first cells of a column are missing, those within this number of rows
	// decide. It returns io.EOF for a file without rows.
	kinds(rows int) ([]kind, place, error)
	// read returns a reader before the first row: numbers returns the features, text any of
	// both lists.
	read(features, others []int) (rowReader, error)
	// total returns the number of rows, -1 if that takes reading them.
	total() int
	info() fs.FileInfo
	format() string // as in [Profile]
	// seekable reports whether the reader can seek.
	seekable() bool
	close()
}

// A rowReader reads the rows of a file.
type rowReader interface {
	// next moves to the next row. It returns io.EOF after the last.
	next() (place, error)
	// text returns the trimmed cell of a column, "" if it is empty.
	text(column int) string
	// numbers fills dst with the features. sound is false if one is empty, no number, or larger
	// than mostSize.
	numbers(dst []float64) (sound bool, err error)
	// seek makes the row at the place the next one.
	seek(place) error
}

// decidingRows is the number of rows whose cells decide what the columns hold.
const decidingRows = 1000

// kindsOf implements kinds by reading rows: a column holds numbers if at least half of its first
// cells that are not missing are numbers. kindAt returns the kind of a cell of the present row.
func kindsOf(r rowReader, columns, rows int, kindAt func(column int) kind) ([]kind, place, error) {
	first, err := r.next()
	if err != nil {
		return nil, first, err
	}
	numbers, others := make([]int, columns), make([]int, columns)
	empty := columns // columns without a cell so far
	for n := 1; ; n++ {
		for i := range columns {
			if isMark(r.text(i)) {
				continue
			}
			empty -= one(numbers[i]+others[i] == 0)
			if kindAt(i) == kindNumber {
				numbers[i]++
			} else {
				others[i]++
			}
		}
		if n >= decidingRows && (n >= rows || empty == 0) {
			break
		}
		if _, err := r.next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, first, err
		}
	}
	kinds := make([]kind, columns)
	for i := range kinds {
		switch {
		case numbers[i]+others[i] == 0:
			kinds[i] = kindEmpty
		case numbers[i] >= others[i]:
			kinds[i] = kindNumber
		default:
			kinds[i] = kindText
		}
	}
	return kinds, first, nil
}

// A kind is the type of a column.
type kind int

const (
	kindOther kind = iota // neither numbers nor text
	kindNumber
	kindText
	kindEmpty // all deciding cells are missing
	kindClass // numbers that are features only if a model says so
)

// A place is the position of a row in its file.
type place struct {
	line, row int   // as in [Error]
	offset    int64 // offset of its first byte, in a CSV file
}

// String returns the line, or the row of a file without lines.
func (p place) String() string {
	if p.line > 0 {
		return fmt.Sprintf("line %d", p.line)
	}
	return fmt.Sprintf("row %d", p.row)
}

// A fileFormat is a format of data files, recognised by the ending of the name.
type fileFormat struct {
	endings []string // in any case
	// others are endings that count only where files are named, because other files have them, too.
	others []string
	// open opens a file as [open] does. It is nil for queries, whose results are opened by [once].
	open func(path string, before fs.FileInfo, set CSV) (table, error)
}

// formats lists the formats of data files.
var formats = []*fileFormat{csvFormat, ndjsonFormat, parquetFormat, numpyFormat, archiveFormat, idxFormat, queryFormat}

const fileForms = "want a .csv, .tsv, .txt, .dat, .ndjson, .parquet, .npy, .npz, IDX or .sql file, a folder of them, or - for standard input"

// formatOf returns the format of a data file, nil if the name has another ending.
func formatOf(path string) *fileFormat {
	for _, f := range formats {
		if f.fits(path) {
			return f
		}
	}
	return nil
}

func (f *fileFormat) fits(path string) bool { return f.ending(path) != "" }

// ending returns the ending of a file's name, "" if it is not one of the format.
func (f *fileFormat) ending(path string) string {
	name := filepath.Base(path)
	for _, ending := range slices.Concat(f.endings, f.others) {
		if start := len(name) - len(ending); start >= 0 && strings.EqualFold(name[start:], ending) {
			return name[start:]
		}
	}
	return ""
}

// open opens a data file; before is nil at the first opening. set says how CSV is written.
func open(path string, before fs.FileInfo, set CSV) (table, error) {
	if from, ok := before.(*once); ok {
		return from.open(set)
	}
	if isOnce(path) {
		return nil, &Error{File: path, Msg: "this command reads rows from files only", Hint: "save the rows in a file"}
	}
	if f := formatOf(path); f != nil {
		return f.open(path, before, set)
	}
	return nil, unknown(path)
}

func unknown(path string) error {
	if labelsFormat.fits(path) {
		return &Error{File: path, Msg: "these are labels", Hint: "give the file of the images beside it: the labels become its column " + labelColumn}
	}
	if slices.Contains([]string{".xlsx", ".xls", ".xlsm", ".ods"}, strings.ToLower(filepath.Ext(path))) {
		return &Error{File: path, Msg: "want rows, got a spreadsheet", Hint: "save its sheet as CSV"}
	}
	if strings.EqualFold(filepath.Ext(path), ".json") {
		return &Error{File: path, Msg: "want an .ndjson file with an object in each line, got .json", Hint: "write each object of an array in a line of its own, as jq -c '.[]' does"}
	}
	return &Error{File: path, Msg: "unknown kind of file; " + fileForms}
}

// checkNames refuses empty and repeated names, and those that could change how a line of others'
// output looks. line is that of the header, 0 if the file has no lines.
func checkNames(path string, line int, header []string) error {
	where, seen := "", make(map[string]bool, len(header))
	if line > 0 {
		where = " in the header"
	}
	for i, name := range header {
		fault := &Error{File: path, Line: line, Column: name}
		switch {
		case name == "":
			fault.Msg, fault.Hint = fmt.Sprintf("column %d has no name", i+1), "name it"+where
			if line > 0 && i == 0 && len(header) > 1 {
				fault.Hint += "; for an index as pandas writes it, write with index=False"
			}
		case !printable.Text(name):
			fault.Msg, fault.Hint = "the name has characters that cannot be seen", "rename it"+where
		case seen[name]:
			fault.Msg, fault.Hint = "the name stands twice"+where, "rename one"
		default:
			seen[name] = true
			continue
		}
		return fault
	}
	return nil
}

// checkKinds reports the first column whose contents do not suit its use.
func checkKinds(path string, header []string, kinds []kind, features, others []int) error {
	for _, i := range features {
		if kinds[i] != kindNumber {
			return &Error{File: path, Column: header[i], Msg: "want numbers, got a column of another type", Hint: "convert it"}
		}
	}
	for _, i := range others {
		if kinds[i] == kindOther {
			return &Error{File: path, Column: header[i], Msg: "want numbers or text, got a column of another type", Hint: "convert it, or name another column"}
		}
	}
	return nil
}
