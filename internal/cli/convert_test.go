package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"
)

// convert writes the rows of a CSV file in the format of the target's extension. Columns whose
// first cell is a number are doubles, nullable in Parquet. Others are text, which an array leaves
// out.
func convert(ts *testscript.TestScript, from, to string) {
	lines, err := csv.NewReader(strings.NewReader(ts.ReadFile(from))).ReadAll()
	ts.Check(err)
	var content []byte
	if strings.HasSuffix(to, ".npy") {
		content = arrayOf(lines[0], lines[1:])
	} else {
		content, err = parquetOf(lines[0], lines[1:])
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(to), content, 0o600))
}

func parquetOf(header []string, rows [][]string) ([]byte, error) {
	fields := parquet.Group{}
	for j, name := range header {
		fields[name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		if _, err := strconv.ParseFloat(rows[0][j], 64); err != nil {
			fields[name] = parquet.String()
		}
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, parquet.NewSchema("rows", fields), parquet.Compression(&parquet.Snappy))
	for _, row := range rows {
		cells := map[string]any{}
		for j, name := range header {
			cells[name] = row[j]
			if fields[name].Optional() {
				cells[name] = nil
				if v, err := strconv.ParseFloat(row[j], 64); err == nil {
					cells[name] = v
				}
			}
		}
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func arrayOf(header []string, rows [][]string) []byte {
	var fields []string
	var data bytes.Buffer
	for i, row := range rows {
		for j, cell := range row {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				continue
			}
			_ = binary.Write(&data, binary.LittleEndian, v)
			if i == 0 {
				fields = append(fields, fmt.Sprintf("('%s', '<f8')", header[j]))
			}
		}
	}
	text := fmt.Sprintf("{'descr': [%s], 'fortran_order': False, 'shape': (%d,), }\n", strings.Join(fields, ", "), len(rows))
	var out bytes.Buffer
	out.WriteString("\x93NUMPY\x01\x00")
	_ = binary.Write(&out, binary.LittleEndian, uint16(len(text)))
	out.WriteString(text)
	out.Write(data.Bytes())
	return out.Bytes()
}
