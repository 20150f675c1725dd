package dataset_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// TestFileErrors checks whole messages: place, fault and advice.
func TestFileErrors(t *testing.T) {
	const head = "temp,label,part\n1,0,train\n"
	whole := zipped(t, head)
	for content, want := range map[string]string{
		head + "n/a,0,train\n":            `f.csv:3: column "temp": want a number, got "n/a"; fix the cell, or leave the column out with --ignore temp, or see --missing`,
		head + ",0,train\n":               `f.csv:3: column "temp": the cell is empty; fill it, or leave the column out with --ignore temp, or see --missing`,
		head + "NaN,0,train\n":            `f.csv:3: column "temp": want a finite number, got "NaN"; fix the cell, or leave the column out with --ignore temp, or see --missing`,
		head + "-inf,0,train\n":           `f.csv:3: column "temp": want a finite number, got "-inf"; fix the cell, or leave the column out with --ignore temp`,
		head + "1e999,0,train\n":          `f.csv:3: column "temp": want a finite number, got "1e999"; fix the cell, or leave the column out with --ignore temp`,
		head + "1e300,0,train\n":          `f.csv:3: column "temp": want a number of at most 1e+60 in size, got 1e300; fix the cell, or leave the column out with --ignore temp`,
		head + "-2e60,0,train\n":          `f.csv:3: column "temp": want a number of at most 1e+60 in size, got -2e60; fix the cell, or leave the column out with --ignore temp`,
		head + "1_000,0,train\n":          `f.csv:3: column "temp": want a number, got "1_000"; fix the cell, or leave the column out with --ignore temp`,
		head + "0x10p0,0,train\n":         `f.csv:3: column "temp": want a number, got "0x10p0"; fix the cell, or leave the column out with --ignore temp`,
		head + "-0X1_0p0,0,train\n":       `f.csv:3: column "temp": want a number, got "-0X1_0p0"; fix the cell, or leave the column out with --ignore temp`,
		head + "2,1e61,train\n":           `f.csv:3: column "label": want a number of at most 1e+60 in size, got 1e61; fix the cell, or name another --label`,
		"temp;label;part\n1;0;x\n":        `f.csv: no row meets --where part=train; values there are "x"`,
		"temp\tlabel\n1\t0\n":             `f.csv: column "part": there is no such column; columns are "temp", "label"`,
		"temp,label,\xe9\u00e9\n1,0,x\n":  `f.csv:1: the header is not valid UTF-8; save the file as UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8 old.csv > new.csv`,
		"a,label,part\n1e999,0,train":     `f.csv:2: column "a": want a finite number, got "1e999"; fix the cell, or leave the column out with --ignore a`,
		head + "2,bad,train\n":            `f.csv:3: column "label": want a number, got "bad"; fix the cell, or name another --label`,
		head + "\n\n2,0\n":                `f.csv:5: want 3 cells as in the header, got 2; fix the row`,
		head + "2,0,train,9\n":            `f.csv:3: want 3 cells as in the header, got 4; fix the row`,
		head + "2,\"0,train\n2,0,a\n":     `f.csv:3: malformed row: extraneous or missing " in quoted-field; write a quote inside a cell as ""`,
		whole[:len(whole)-8] + "checksum": `f.csv: the compressed file is damaged; copy it again`,
		head + "2,0,\"tra\n":              `f.csv:3: malformed row: extraneous or missing " in quoted-field; write a quote inside a cell as ""`,
		"temp,label,part\n":               `f.csv: no rows below the header`,
		"":                                `f.csv: the file is empty; want a header row of column names, then rows`,
		"temp,label,temp\n1,0,2\n":        `f.csv:1: column "temp": the name stands twice in the header; rename one`,
		"temp\u202e,label\n1,0\n":         `f.csv:1: column "temp\u202e": the name has characters that cannot be seen; rename it in the header`,
		"temp,,label\n1,0,2\n":            `f.csv:1: column 2 has no name; name it in the header`,
		"1.5,0,3\n1,0,2\n":                `f.csv:1: want a header row of column names, got numbers only; put the names into the first line`,
		"temp,part\n1,train\n":            `f.csv: column "label": there is no such column; columns are "temp", "part"`,
		"label,part\n1,train\n":           `f.csv: no column is a feature: none that is left has numbers in most of its first rows; columns are "label", "part", separated by ","`,
		"temp,label,part\n1,0,x\n":        `f.csv: no row meets --where part=train; values there are "x"`,
		"a,label,part\n,0,train\n":        `f.csv:2: column "a": the first cells are missing; fill them, or leave the column out with --ignore a, or see --missing`,
		"a,label,part\nNaN,0,train":       `f.csv:2: column "a": the first cells are missing; fill them, or leave the column out with --ignore a, or see --missing`,
		"\x1f\x8b\x08":                    `f.csv: the compressed file ends too early; copy it again`,
		whole[:30]:                        `f.csv: the compressed file ends too early; copy it again`,
	} {
		folder(t, "f.csv", content)
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.csv"}, Label: "label", Where: condition("part=train")})
		wantError(t, err, want)
	}
}

// TestColumnsOfAModelCannotBeIgnored checks that no hint advises to ignore such a column.
func TestColumnsOfAModelCannotBeIgnored(t *testing.T) {
	for cell, want := range map[string]string{
		"":      `f.csv:3: column "x": the cell is empty; fill it, or see --missing`,
		"n/a":   `f.csv:3: column "x": want a number, got "n/a"; fix the cell, or see --missing`,
		"NaN":   `f.csv:3: column "x": want a finite number, got "NaN"; fix the cell, or see --missing`,
		"1e300": `f.csv:3: column "x": want a number of at most 1e+60 in size, got 1e300; fix the cell`,
	} {
		folder(t, "f.csv", "x,y\n1,2\n"+cell+",2\n")
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.csv"}, Columns: []string{"x"}})
		wantError(t, err, want)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	var typed *dataset.Error
	if err == nil || err.Error() != want || !errors.As(err, &typed) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestDroppedRowsAreNotRead checks that only rows in use must be sound.
func TestDroppedRowsAreNotRead(t *testing.T) {
	folder(t, "f.csv", "x,part\n1,train\nbroken,other\n2,train\n")
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.csv"}, Where: condition("part=train")})
	if err != nil || len(values(d.Participants[0].Train)) != 2 {
		t.Errorf("got %v", err)
	}
}

func TestSpecErrors(t *testing.T) {
	folder(t,
		"a.csv", "x,y,site\n1,2,n\n3,4,\n",
		"b.csv", "x,z,site\n1,2,n\n",
		"c.csv", "x,y,site\n1,2,n\n",
		"d.csv", "x,y,site\n1,2,é\n3,4,K\xf6ln\n",
		"sub/a.csv.gz", "x,y,site\n1,2,n\n",
		"empty/notes.md", "nothing", "rows.xlsx", "")
	for _, c := range []struct {
		spec dataset.Spec
		want string
	}{
		{dataset.Spec{}, `no data given; want a .csv, .tsv, .txt, .dat, .ndjson, .parquet, .npy, .npz, IDX or .sql file, a folder of them, or - for standard input`},
		{dataset.Spec{Data: []string{"gone.csv"}}, `gone.csv: no such file or folder`},
		{dataset.Spec{Data: []string{"rows.xlsx"}}, `rows.xlsx: want rows, got a spreadsheet; save its sheet as CSV`},
		{dataset.Spec{Data: []string{`'gone.csv'`}}, `'gone.csv': no such file or folder; leave out the quotes that are part of the name`},
		{dataset.Spec{Data: []string{`“gone*.csv”`}}, `“gone*.csv”: the pattern matches no file; leave out the quotes that are part of the name`},
		{dataset.Spec{Data: []string{"a.csv"}}, `want at least 2 participants with 1 training rows or more, got 1; name a file per participant, or divide the rows of this one, such as by --split column=NAME or --split iid:clients=5`},
		{dataset.Spec{Data: []string{"empty"}}, `empty: no data file in this folder; want a .csv, .tsv, .txt, .dat, .ndjson, .parquet, .npy, .npz, IDX or .sql file, a folder of them, or - for standard input`},
		{dataset.Spec{Data: []string{"plant-*.csv"}}, `plant-*.csv: the pattern matches no data file; want a .csv, .tsv, .txt, .dat, .ndjson, .parquet, .npy, .npz, IDX or .sql file, a folder of them, or - for standard input`},
		{dataset.Spec{Data: []string{"[.csv"}}, `[.csv: the pattern is malformed; close every [ with a ]`},
		{dataset.Spec{Data: []string{"a.csv", "./a.csv"}}, `./a.csv: the file is given twice`},
		{dataset.Spec{Data: []string{"a.csv", "sub/a.csv.gz"}}, `sub/a.csv.gz: participant "a" is already that of a.csv; rename one file`},
		{dataset.Spec{Data: []string{"a.csv", "b.csv"}}, `b.csv: columns differ from those of a.csv: missing here "y", only here "z"; give the files the same columns, or leave these out with --ignore`},
		{dataset.Spec{Data: []string{"a.csv", "c.csv"}, Ignore: []string{"yy"}}, `a.csv: column "yy": the column to ignore is not there; columns are "x", "y", "site"`},
		{dataset.Spec{Data: []string{"a.csv", "c.csv"}, TestWhere: condition("site=s")}, `a.csv: no row meets --test-where site=s; values there are "n", ""`},
		{dataset.Spec{Data: []string{"c.csv", "sub"}, TestWhere: condition("site=n")}, `c.csv: no row is left to train on: all meet --test-where site=n`},
		{dataset.Spec{Data: []string{"a.csv"}, Split: split("column=site")}, `a.csv:3: column "site": the cell is empty; fill it`},
		{dataset.Spec{Data: []string{"a.csv", "c.csv"}, MinRows: 2}, `want at least 2 participants with 2 training rows or more, got 1; too small: "c" (1); give more data, fewer --components or another --split`},
		{dataset.Spec{Data: []string{"a.csv", "c.csv"}, Where: condition("x=1"), TestWhere: condition("site=n")}, `a.csv: no row is left to train on: all that meet --where x=1 meet --test-where site=n too; choose conditions that exclude each other`},
		{dataset.Spec{Data: []string{"d.csv"}, Label: "site"}, `d.csv:3: column "site": want text in UTF-8, got "K\xf6ln"; save the file as UTF-8`},
		{dataset.Spec{Data: []string{"d.csv"}, Split: split("column=site")}, `d.csv:3: column "site": want text in UTF-8, got "K\xf6ln"; save the file as UTF-8`},
		{dataset.Spec{Data: []string{"a.csv"}, Columns: []string{"x", "w"}}, `a.csv: found 1 of 2 columns, missing "w"; columns are "x", "y", "site"`},
	} {
		_, err := dataset.LoadAll(c.spec)
		wantError(t, err, c.want)
	}
	_, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, MinRows: 3})
	wantError(t, err, `a.csv: want at least 3 training rows, got 2`)
}

// TestFirstFaultyFileIsReported checks that the first faulty file is reported, whichever reader
// ends first.
func TestFirstFaultyFileIsReported(t *testing.T) {
	long := "x\n" + strings.Repeat("1\n", 20000) + "broken\n"
	folder(t, "a.csv", "x\n1\n", "b.csv", long, "c.csv", "x\n1\nbroken\n")
	for range 5 {
		_, err := dataset.LoadAll(dataset.Spec{Data: []string{"."}})
		wantError(t, err, `b.csv:20002: column "x": want a number, got "broken"; fix the cell, or leave the column out with --ignore x`)
	}
}

// TestColumnsThatDifferCanBeIgnored checks that a column can be ignored even if only one file has
// it.
func TestColumnsThatDifferCanBeIgnored(t *testing.T) {
	folder(t, "a.csv", "x,y\n1,2\n", "b.csv", "x,z\n1,2\n")
	d, err := dataset.LoadAll(dataset.Spec{Data: []string{"."}, Ignore: []string{"y", "z"}})
	if err != nil || len(d.Columns) != 1 {
		t.Errorf("got %v", err)
	}
}
