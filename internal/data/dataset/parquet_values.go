package dataset

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// valueType says how to interpret the values of a column.
type valueType struct {
	physical parquet.Kind
	unsigned bool
	scale    float64 // divisor of a decimal; otherwise 1
}

func valueTypeOf(c *parquet.Column) valueType {
	if kindOf(c) == kindOther {
		return valueType{}
	}
	t := valueType{physical: c.Type().Kind(), scale: 1}
	if logical := c.Type().LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.IntType:
			t.unsigned = !l.IsSigned
		case *format.DecimalType:
			t.scale = math.Pow10(int(l.Scale))
		}
	}
	return t
}

// kindOf returns whether a column holds numbers, text or something else: times, lists, other
// bytes.
func kindOf(c *parquet.Column) kind {
	if !c.Leaf() || c.MaxRepetitionLevel() > 0 {
		return kindOther
	}
	var logical format.LogicalTypeValue
	if l := c.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	switch logical.(type) {
	case nil, *format.StringType, *format.EnumType, *format.IntType, *format.DecimalType:
	default:
		return kindOther
	}
	_, decimal := logical.(*format.DecimalType)
	switch c.Type().Kind() {
	case parquet.Boolean, parquet.Int32, parquet.Int64, parquet.Float, parquet.Double:
		return kindNumber
	case parquet.FixedLenByteArray:
		if decimal {
			return kindNumber
		}
	case parquet.ByteArray:
		if !decimal {
			return kindText
		}
	}
	return kindOther
}

// pageValues holds the values of a page. Nulls are not stored, but have a level below the
// highest.
type pageValues struct {
	typed  valueType
	rows   int
	levels []byte // level of each row, nil if no row is null
	most   byte   // level of a value
	stored values
	// row is a row, and before the number of values stored before it.
	row, before int
	// dictionary is decoded from source, and kept for the pages that share it.
	source     parquet.Dictionary
	dictionary values
}

// values holds stored values; number and text return value i.
type values struct {
	doubles []float64 // set if the values are float64
	n       int
	number  func(i int) float64
	text    func(i int) string
}

// load reads the values of a page, which must not be released before the next load.
func (t valueType) load(v *pageValues, page parquet.Page, most byte) error {
	v.rows, v.levels, v.most, v.row, v.before = int(page.NumRows()), nil, most, 0, 0
	nulls := int(page.NumNulls())
	if nulls > 0 {
		v.levels = page.DefinitionLevels()
	}
	if d := page.Dictionary(); d == nil {
		v.stored = t.decode(page.Data(), v.rows-nulls)
	} else {
		if d != v.source {
			v.source, v.dictionary = d, t.decode(d.Page().Data(), d.Len())
		}
		v.stored = indexed(v.dictionary, page.Data())
	}
	if v.stored.n < v.rows-nulls {
		return fmt.Errorf("a page of %d values has %d", v.rows-nulls, v.stored.n)
	}
	return nil
}

// decode decodes n values.
func (t valueType) decode(data encoding.Values, n int) values {
	switch t.physical {
	case parquet.Double:
		d := data.Double()
		return values{doubles: d, n: len(d), number: func(i int) float64 { return d[i] }}
	case parquet.Float:
		d := data.Float()
		return values{n: len(d), number: func(i int) float64 { return float64(d[i]) }}
	case parquet.Boolean:
		d := data.Boolean()
		return values{n: min(n, 8*len(d)), number: func(i int) float64 { return float64(d[i/8] >> (i % 8) & 1) }}
	case parquet.Int32:
		return integers(data.Int32(), data.Uint32(), t)
	case parquet.Int64:
		return integers(data.Int64(), data.Uint64(), t)
	case parquet.FixedLenByteArray:
		d, size := data.FixedLenByteArray()
		return values{n: len(d) / max(size, 1), number: func(i int) float64 { return bigEndian(d[i*size:(i+1)*size]) / t.scale }}
	default:
		d, ends := data.ByteArray()
		return values{n: len(ends) - 1, text: func(i int) string { return string(bytes.TrimSpace(d[ends[i]:ends[i+1]])) }}
	}
}

// integers decodes signed or unsigned integers, or decimals. Their text is exact.
func integers[S int32 | int64, U uint32 | uint64](signed []S, unsigned []U, t valueType) values {
	switch {
	case t.scale != 1:
		return values{n: len(signed), number: func(i int) float64 { return float64(signed[i]) / t.scale }}
	case t.unsigned:
		return values{
			n:      len(unsigned),
			number: func(i int) float64 { return float64(unsigned[i]) },
			text:   func(i int) string { return strconv.FormatUint(uint64(unsigned[i]), 10) },
		}
	}
	return values{
		n:      len(signed),
		number: func(i int) float64 { return float64(signed[i]) },
		text:   func(i int) string { return strconv.FormatInt(int64(signed[i]), 10) },
	}
}

// bigEndian decodes a two's complement integer.
func bigEndian(b []byte) float64 {
	v := 0.0
	for i, x := range b {
		if i == 0 {
			v = float64(int8(x))
		} else {
			v = 256*v + float64(x)
		}
	}
	return v
}

// indexed looks up values in a dictionary.
func indexed(dictionary values, data encoding.Values) values {
	keys := data.Int32()
	out := values{n: len(keys)}
	if dictionary.number != nil {
		out.number = func(i int) float64 { return dictionary.number(int(keys[i])) }
	}
	if dictionary.text != nil {
		out.text = func(i int) string { return dictionary.text(int(keys[i])) }
	}
	return out
}

// plain returns the values of n rows if they are stored as float64, otherwise nil.
func (v *pageValues) plain(row, n int) []float64 {
	if v.levels != nil || v.stored.doubles == nil {
		return nil
	}
	return v.stored.doubles[row : row+n]
}

// each calls f for n rows, beginning at row, with the place of the row's value among the stored
// ones, or -1 for null.
func (v *pageValues) each(row, n int, f func(i, value int)) {
	if v.levels == nil {
		for i := range n {
			f(i, row+i)
		}
		return
	}
	if row < v.row {
		v.row, v.before = 0, 0
	}
	v.before += bytes.Count(v.levels[v.row:row], []byte{v.most})
	for i, level := range v.levels[row : row+n] {
		if level != v.most {
			f(i, -1)
			continue
		}
		f(i, v.before)
		v.before++
	}
	v.row = row + n
}

// numbers fills dst, beginning at row.
func (v *pageValues) numbers(dst []float64, row int) {
	v.each(row, len(dst), func(i, value int) {
		dst[i] = missingCell
		if value >= 0 {
			dst[i] = v.stored.number(value)
		}
	})
}

// texts fills dst, beginning at row; numbers take their shortest form.
func (v *pageValues) texts(dst []string, row int) {
	text := v.stored.text
	if text == nil {
		text = func(i int) string { return shortest(v.stored.number(i)) }
	}
	v.each(row, len(dst), func(i, value int) {
		dst[i] = ""
		if value >= 0 {
			dst[i] = text(value)
		}
	})
}
