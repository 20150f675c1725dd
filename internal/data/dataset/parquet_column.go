package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// parquetColumn reads a column page by page in ascending order, and seeks otherwise. It holds
// one page.
type parquetColumn struct {
	file    *parquetFile
	column  *parquet.Column
	values  pageValues
	scratch []float64

	group int                // row group of pages, -1 for none
	pages *parquet.FilePages // pages of that row group
	page  parquet.Page
	// first and end delimit the rows of the page. Without a page, the next one begins at end.
	first, end int
}

// newParquetColumn opens a column of numbers or text.
func newParquetColumn(file *parquetFile, i int) *parquetColumn {
	return &parquetColumn{file: file, column: file.columns[i], group: -1, values: pageValues{typed: file.types[i]}}
}

// read writes the values of n rows to x[0], x[stride] and so on; null becomes [missingCell].
func (c *parquetColumn) read(x []float64, stride, from, n int) error {
	for i := 0; i < n; {
		k, err := c.find(from + i)
		if err != nil {
			return err
		}
		k = min(k, n-i)
		if d := c.values.plain(from+i-c.first, k); d != nil {
			spread(x[i*stride:], d, stride)
		} else {
			c.scratch = slices.Grow(c.scratch[:0], k)[:k]
			c.values.numbers(c.scratch, from+i-c.first)
			spread(x[i*stride:], c.scratch, stride)
		}
		i += k
	}
	return nil
}

// spread writes values to dst[0], dst[stride] and so on.
func spread(dst, values []float64, stride int) {
	place := 0
	for _, v := range values {
		dst[place] = v
		place += stride
	}
}

// texts reads cells as text; null becomes "".
func (c *parquetColumn) texts(dst []string, from int) error {
	for len(dst) > 0 {
		k, err := c.find(from)
		if err != nil {
			return err
		}
		k = min(k, len(dst))
		c.values.texts(dst[:k], from-c.first)
		dst, from = dst[k:], from+k
	}
	return nil
}

// find loads the page that holds a row, and returns the number of rows from there to the end of
// the page.
func (c *parquetColumn) find(row int) (int, error) {
	if c.page != nil && c.first <= row && row < c.end {
		return c.end - row, nil
	}
	if g := c.file.groupOf(row); g != c.group {
		c.open(g)
	}
	if err := c.seek(row); err != nil {
		return 0, err
	}
	for row >= c.end {
		if err := c.turn(); err != nil {
			return 0, err
		}
	}
	return c.end - row, nil
}

func (c *parquetColumn) open(group int) {
	c.close()
	chunk := c.file.groups[group].ColumnChunks()[c.column.Index()].(*parquet.FileColumnChunk)
	c.pages = chunk.PagesFrom(c.file.file)
	c.group, c.end = group, c.file.starts[group]
}

// seek moves to a page at or before the row: the nearest that the file's index knows, or the
// row group's first if there is no index and the row lies behind.
func (c *parquetColumn) seek(row int) error {
	if row == c.end {
		return nil
	}
	start := c.file.starts[c.group]
	chunk := c.file.groups[c.group].ColumnChunks()[c.column.Index()]
	index, err := chunk.OffsetIndex()
	target := start
	if err == nil {
		for i := range index.NumPages() {
			if first := start + int(index.FirstRowIndex(i)); first <= row {
				target = max(target, first)
			}
		}
	}
	if target == c.end || c.end <= row && target < c.end {
		return nil
	}
	c.release()
	c.end = target
	return c.pages.SeekToRow(int64(target - start))
}

// turn reads the next page.
func (c *parquetColumn) turn() error {
	c.release()
	page, err := c.pages.ReadPage()
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the pages of column %q end too early", c.column.Name())
	}
	if err != nil {
		return err
	}
	c.page, c.first = page, c.end
	c.end += int(page.NumRows())
	if c.end > c.file.starts[c.group+1] {
		return fmt.Errorf("the pages of column %q hold more rows than the row group", c.column.Name())
	}
	return c.values.typed.load(&c.values, page, byte(c.column.MaxDefinitionLevel()))
}

func (c *parquetColumn) release() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
}

func (c *parquetColumn) close() {
	c.release()
	if c.pages != nil {
		_ = c.pages.Close() // frees memory and cannot fail
		c.pages = nil
	}
	c.group = -1
}
