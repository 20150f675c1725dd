package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// parquetFile is a table over a Parquet file.
type parquetFile struct {
	*file
	parquet *parquet.File
	// top-level columns in the file's order
	columns []*parquet.Column
	holds   []kind
	types   []valueType
	groups  []parquet.RowGroup
	// starts holds the first row of each row group, followed by the number of rows.
	starts []int
	reader *parquetReader // nil until read
}

var parquetFormat = &fileFormat{endings: []string{".parquet"}, open: openParquet}

// openParquet reads the footer.
func openParquet(path string, before fs.FileInfo, _ CSV) (_ table, err error) {
	f, err := openFile(path, before)
	if err != nil {
		return nil, err
	}
	p := &parquetFile{file: f}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	defer p.damaged(&err)
	if err := p.checkFooter(); err != nil {
		return nil, err
	}
	if err := p.readFooter(); err != nil {
		return nil, err
	}
	p.columns = p.parquet.Root().Columns()
	for _, c := range p.columns {
		p.holds, p.types = append(p.holds, kindOf(c)), append(p.types, valueTypeOf(c))
	}
	p.groups, p.starts = p.parquet.RowGroups(), []int{0}
	for _, g := range p.parquet.Metadata().RowGroups {
		if g.NumRows < 0 || g.NumRows > math.MaxInt32 {
			return nil, fmt.Errorf("a row group has %d rows", g.NumRows)
		}
		p.starts = append(p.starts, p.total()+int(g.NumRows))
	}
	return p, checkNames(path, 0, p.header())
}

// checkFooter checks both ends of the file, before a library allocates the memory that its last
// bytes claim.
func (p *parquetFile) checkFooter() error {
	const magic = "PAR1"
	var first, last [8]byte
	size := p.file.size()
	if size < 12 {
		return &Error{File: p.path, Msg: "this is no Parquet file: it is too short", Hint: "copy or write it again"}
	}
	if _, err := p.file.ReadAt(first[:4], 0); err != nil {
		return err
	}
	if _, err := p.file.ReadAt(last[:], size-8); err != nil {
		return err
	}
	switch {
	case string(first[:4]) == "PARE" || string(last[4:]) == "PARE":
		return &Error{File: p.path, Msg: "the Parquet file is encrypted", Hint: "write it without encryption"}
	case string(first[:4]) != magic:
		return &Error{File: p.path, Msg: "this is no Parquet file: it does not begin with " + magic, Hint: "give the file the ending of what it is"}
	case string(last[4:]) != magic:
		return &Error{File: p.path, Msg: "the Parquet file ends too early", Hint: "copy it again"}
	}
	if footer := int64(binary.LittleEndian.Uint32(last[:])); footer > size-12 {
		return fmt.Errorf("a footer of %d bytes in a file of %d", footer, size)
	}
	return nil
}

// readFooter reads the file's metadata. It replaces the library's errors, which do not help a
// user.
func (p *parquetFile) readFooter() (err error) {
	defer func() {
		if recover() != nil || err != nil && !errors.As(err, new(*fs.PathError)) {
			err = errors.New("its footer, which says where the rows are, cannot be read")
		}
	}()
	p.parquet, err = parquet.OpenFile(p.file, p.file.size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	return err
}

// damaged turns a panic of the library, or an error that does not name the file, into an
// [*Error]. Use it with defer.
func (p *parquetFile) damaged(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%v", r)
	}
	if *err == nil {
		return
	}
	if known := p.fault(*err); known != nil {
		*err = known
		return
	}
	*err = &Error{File: p.path, Msg: fmt.Sprintf("the Parquet file is damaged: %v", *err), Hint: "copy or write it again"}
}

func (p *parquetFile) total() int     { return p.starts[len(p.starts)-1] }
func (p *parquetFile) format() string { return "Parquet" }

// groupOf returns the row group of a row.
func (p *parquetFile) groupOf(row int) int {
	i, _ := slices.BinarySearch(p.starts, row+1)
	return i - 1
}

func (p *parquetFile) header() []string {
	names := make([]string, len(p.columns))
	for i, c := range p.columns {
		names[i] = strings.TrimSpace(c.Name())
	}
	return names
}

func (p *parquetFile) kinds(int) ([]kind, place, error) {
	if p.total() == 0 {
		return nil, place{}, io.EOF
	}
	return p.holds, place{row: 1}, nil
}

func (p *parquetFile) read(features, others []int) (rowReader, error) {
	if err := checkKinds(p.path, p.header(), p.holds, features, others); err != nil {
		return nil, err
	}
	r := &parquetReader{file: p, others: make(map[int]*parquetColumn)}
	for _, i := range features {
		r.features = append(r.features, newParquetColumn(p, i))
	}
	for _, i := range others {
		r.others[i] = newParquetColumn(p, i)
	}
	p.reader = r
	return newNumberedRows(r, features, others, p.total()), nil
}

func (p *parquetFile) close() {
	if p.reader != nil {
		p.reader.close()
	}
	p.file.close()
}

// parquetReader reads rows of some columns, each from its own page.
type parquetReader struct {
	file     *parquetFile
	features []*parquetColumn
	others   map[int]*parquetColumn
}

// numbers reads a few rows of each column at a time, so that they stay in the cache.
func (r *parquetReader) numbers(x []float64, from int) (err error) {
	defer r.file.damaged(&err)
	const few = 64
	m := len(r.features)
	for len(x) > 0 {
		n := min(few, len(x)/m)
		for j, c := range r.features {
			if err := c.read(x[j:n*m], m, from, n); err != nil {
				return err
			}
		}
		x, from = x[n*m:], from+n
	}
	return nil
}

func (r *parquetReader) texts(dst []string, column, from int) (err error) {
	defer r.file.damaged(&err)
	return r.others[column].texts(dst, from)
}

func (r *parquetReader) close() {
	for _, c := range r.features {
		c.close()
	}
	for _, c := range r.others {
		c.close()
	}
}
