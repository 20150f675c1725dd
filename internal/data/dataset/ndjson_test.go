package dataset_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// readings has keys in several orders, and objects without some keys.
const readings = `{"temp": 1.5, "site": "no\nrth", "open": true, "part": "train"}
{"site":"s\"outh","temp":-2e1,"open":false,"part":"test","note":"late \u00e9"}

{"part": "train", "open": null, "temp": 3, "site": null}
{"temp": 4 , "open" : true , "part" : "train" , "note":null}
`

// objects returns rows as JSON objects, one per line, with some blank lines.
func objects(t testing.TB, rows []sited) string {
	t.Helper()
	var b strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&b, "{\"temp\":%v,\"site\":%q,\"flow\":%d,\"label\":%d,\"part\":%q}\n", r.Temp, r.Site, r.Flow, r.Label, r.Part)
		if i%100 == 7 {
			b.WriteString(" \n\n")
		}
	}
	return b.String()
}

// A missing key, null and the marks of missing cells mean the same. Keys name columns in any order.
func TestNDJSON(t *testing.T) {
	folder(t, "a.ndjson", readings, "b.jsonl.gz", zipped(t, "\ufeff"+readings), "c.JSONL", strings.TrimSpace(readings))
	for _, file := range []string{"a.ndjson", "b.jsonl.gz", "c.JSONL"} {
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Label: "site", Missing: dataset.SkipMissing, Where: condition("open=1")})
		wantError(t, err, file+`:5: column "site": the cell is empty; fill it`)
		d, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Missing: dataset.SkipMissing, Where: condition("part=train")})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := d.Columns, []string{"temp", "open"}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: columns %q, want %q", file, got, want)
		}
		if got, want := d.Ignored, []string{"site", "note"}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: ignored %q, want %q", file, got, want)
		}
		x, err := rows.Dense(d.Participants[0].Train)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := values(rows.InMemory(x)), [][]float64{{1.5, 1}, {4, 1}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
		if got := d.Gaps.String(); got != "1 of 3 rows have missing cells, in the columns open (1): they are left out" {
			t.Errorf("%s: %s", file, got)
		}
		d, err = dataset.LoadOne(dataset.Spec{Data: []string{file}, Label: "site", Ignore: []string{"note"}, Where: condition("open=0")})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(d.Classes, []string{`s"outh`}) {
			t.Errorf("%s: got %q", file, d.Classes)
		}
	}
}

func TestFaultsOfNDJSON(t *testing.T) {
	late := strings.Repeat("{\"x\":1,\"y\":2}\n", 100)
	for _, c := range []struct{ content, want string }{
		{"", "f.ndjson: the file has no rows; want a JSON object in each line"},
		{" \n\n", "f.ndjson: the file has no rows; want a JSON object in each line"},
		{"{}\n{}\n", "f.ndjson: the first 2 objects have no keys; want the columns as keys"},
		{`{"x":1}` + "\n" + `{"x":}`, `f.ndjson:2: malformed JSON: invalid character '}' looking for beginning of value; want a flat JSON object in each line`},
		{"{\n\"x\":1}\n", `f.ndjson:1: malformed JSON: unexpected end of JSON input; want a flat JSON object in each line`},
		{"\n[{\"x\":1}]\n", `f.ndjson:2: want an object, got an array; write each of its objects in a line of its own, as jq -c '.[]' does`},
		{`12345678901234567890123`, `f.ndjson:1: want an object, got "12345678901234567890..."; want a flat JSON object in each line`},
		{`{"x":1,"of":{"y":2}}`, `f.ndjson:1: column "of": want a number, text, true, false or null, got an object; write its members as keys of their own`},
		{`{"x":1,"of":[]}`, `f.ndjson:1: column "of": want a number, text, true, false or null, got an array; write its members as keys of their own`},
		{`{" ":1}`, `f.ndjson:1: want keys that are printable text in UTF-8, got ""; rename the key`},
		{"{\"a\u200b\":1}", `f.ndjson:1: want keys that are printable text in UTF-8, got "a\u200b"; rename the key`},
		{"{\"\xffé\":1}", `f.ndjson:1: want keys that are printable text in UTF-8, got "\xffé"; rename the key`},
		{`{"x":1,"y":2,"\u0078":3}`, `f.ndjson:1: column "x": the key stands twice; rename one`},
		{late + `{"x":1}`, `f.ndjson:101: column "y": the cell is empty; fill it, or leave the column out with --ignore y, or see --missing`},
		{late + `{"x":1,"y":"wet"}`, `f.ndjson:101: column "y": want a number, got "wet"; fix the cell, or leave the column out with --ignore y`},
		{`{"x":1e999}`, `f.ndjson:1: column "x": want a finite number, got "1e999"; fix the cell, or leave the column out with --ignore x`},
		{`{"x":"1"}`, `f.ndjson: no column is a feature: none that is left holds numbers; columns are "x"`},
		{`{"x":"` + strings.Repeat("x", 1<<24), `f.ndjson:1: the line is longer than 16777216 bytes; want a flat JSON object in each line`},
	} {
		folder(t, "f.ndjson", c.content)
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.ndjson"}})
		wantError(t, err, c.want)
	}
}

// Objects in other encodings are those in UTF-8, from files, compressed files and standard input.
func TestNDJSONInOtherEncodings(t *testing.T) {
	text := "{\"temp\": 1.5, \"Störung\": 0, \"größe\": 2}\n{\"temp\": 2.5, \"Störung\": 1, \"größe\": 3}\n"
	for name, by := range map[string]encoding.Encoding{
		"UTF-16 LE":    unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16 BE":    unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
		"no mark":      unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
		"Windows-1252": charmap.Windows1252,
		"UTF-8":        encoding.Nop,
	} {
		written, err := by.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		folder(t, "a.ndjson", written, "b.jsonl.gz", zipped(t, written))
		for _, file := range []string{"a.ndjson", "b.jsonl.gz", "-"} {
			spec := dataset.Spec{Data: []string{file}, Name: "a", Label: "Störung", Memory: 1, Folder: t.TempDir()}
			if file == "-" {
				if err := spec.Forward(t.Context(), strings.NewReader(written), func() <-chan time.Time { return nil }); err != nil {
					t.Fatal(err)
				}
			}
			d, err := dataset.LoadOne(spec)
			if err != nil {
				t.Errorf("%s, %s: %v", name, file, err)
				continue
			}
			p := d.Participants[0]
			x, err := rows.Dense(p.Train)
			if err != nil {
				t.Fatal(err)
			}
			if x := values(rows.InMemory(x)); !reflect.DeepEqual(x, [][]float64{{1.5, 2}, {2.5, 3}}) || !reflect.DeepEqual(d.Columns, []string{"temp", "größe"}) || !reflect.DeepEqual(p.TrainLabels, []float64{0, 1}) {
				t.Errorf("%s, %s: got %v in %q with %v", name, file, x, d.Columns, p.TrainLabels)
			}
		}
	}
}
