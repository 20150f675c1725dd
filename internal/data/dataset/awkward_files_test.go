package dataset_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// awkward is a CSV file such as users have.
type awkward struct {
	name, content string
	set           dataset.CSV // settings in node.yaml
}

func awkwardFiles(t testing.TB) []awkward {
	yes, no := true, false
	of := func(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
	utf16LE := func(text string) string {
		b := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(text)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	const rows = "1.5,20\n2.5,21\n3.5,22\n"
	const german = "1,5;20\n2,5;21\n3,5;22\n"
	var long strings.Builder
	long.WriteString("temp;flow\n")
	for i := range 200 {
		fmt.Fprintf(&long, "%d,25;%d\n", i%7, i%5)
	}
	long.WriteString("7.25;1\n")
	set := func(c dataset.CSV) dataset.CSV { return c }
	return []awkward{
		{name: "plain", content: "temp,flow\n" + rows},
		{name: "semicolons", content: "temp;flow\n1.5;20\n2.5;21\n"},
		{name: "semicolons-comma", content: "temp;flow\n" + german},
		{name: "tabs", content: "temp\tflow\n1.5\t20\n2.5\t21\n"},
		{name: "tabs-comma", content: "temp\tflow\n1,5\t20\n2,5\t21\n"},
		{name: "bars", content: "temp|flow\n1.5|20\n2.5|21\n"},
		{name: "commas-in-names", content: "Temp, °C;Druck, bar\n1,5;2,5\n2,5;3,5\n"},
		{name: "blanks-between", content: "temp flow\n1.5 20\n2.5 21\n"},
		{name: "sep", content: "sep=;\ntemp;flow\n" + german},
		{name: "sep-quoted-crlf", content: "\"sep=;\"\r\ntemp;flow\r\n1,5;20\r\n2,5;21\r\n"},
		{name: "bom", content: "\ufefftemp,flow\n" + rows},
		{name: "bom-sep", content: "\ufeffsep=\t\ntemp\tflow\n1,5\t20\n2,5\t21\n"},
		{name: "bom-alone", content: "\ufeff"},
		{name: "utf16", content: utf16LE("temp\tflow\n1,5\t20\n")},
		{name: "utf16-without-bom", content: utf16LE("temp,flow\n1.5,20\n")[2:]},
		{name: "crlf", content: strings.ReplaceAll("temp,flow\n"+rows, "\n", "\r\n")},
		{name: "cr", content: strings.ReplaceAll("temp,flow\n"+rows, "\n", "\r")},
		{name: "cr-semicolons", content: strings.ReplaceAll("temp;flow\n"+german, "\n", "\r")},
		{name: "thousands-point", content: "temp;power\n1,5;1.234,5\n2,5;2.000\n"},
		{name: "thousands-point-groups", content: "count;temp\n1.234.567;1,5\n2.000.000;2,5\n"},
		{name: "thousands-blank", content: "temp;power\n1,5;1 234,5\n2,5;12 000,0\n"},
		{name: "thousands-no-break", content: "temp;power\n1,5;1\u202f234,5\n2,5;12\u202f000,0\n"},
		{name: "thousands-apostrophe", content: "temp,power\n1.5,1'234.5\n2.5,12'000\n"},
		{name: "thousands-quoted", content: "temp,power\n1.5,\"1,234.5\"\n2.5,\"12,000\"\n"},
		{name: "thousands-quoted-unclear", content: "temp,power\n1.5,\"1,234\"\n2.5,\"12,000\"\n"},
		{name: "thousands-quoted-set", content: "temp,power\n1.5,\"1,234\"\n2.5,\"12,000\"\n", set: set(dataset.CSV{Thousands: ","})},
		{name: "thousands-point-unclear", content: "temp;power\n1,5;1.234\n2,5;2.000\n"},
		{name: "thousands-point-set", content: "temp;power\n1,5;1.234\n2,5;2.000\n", set: set(dataset.CSV{Thousands: "."})},
		{name: "three-digits-comma", content: "temp;flow\n1,234;5,678\n2,345;6,789\n"},
		{name: "three-digits-point", content: "temp;flow\n1.234;5.678\n2.345;6.789\n"},
		{name: "decimal-comma-quoted", content: "temp,flow\n\"1,5\",\"20,25\"\n\"2,5\",\"21,0\"\n"},
		{name: "decimal-comma-unquoted", content: "temp,flow\n1,5,20,25\n2,5,21,75\n"},
		{name: "decimal-comma-one-column", content: "temp\n1,5\n2,5\n3,5\n"},
		{name: "decimal-comma-one-column-set", content: "temp\n1,5\n2,5\n3,5\n", set: set(dataset.CSV{Delimiter: ";", Decimal: ","})},
		{name: "mixed-signs", content: "temp;flow\n1,5;20.25\n2,5;21.5\n"},
		{name: "mixed-signs-in-column", content: "temp;flow\n1,5;1\n2.5;2\n3,5;3\n"},
		{name: "mixed-signs-late", content: long.String()},
		{name: "quoted-numbers", content: "\"temp\",\"flow\"\n\"1.5\",\"20\"\n\"2.5\",\"21\"\n"},
		{name: "line-end-in-cell", content: "note;temp\n\"first\nsecond\";1,5\n\"a\"\"b\";2,5\n"},
		{name: "trailing", content: "temp;flow;\n1,5;20;\n2,5;21;\n"},
		{name: "trailing-in-rows", content: "temp,flow\n1.5,20,\n2.5,21,\n"},
		{name: "trailing-late-value", content: "temp,flow,\n1.5,20,\n" + strings.Repeat("2.5,21,\n", 120) + "3.5,22,9\n"},
		{name: "blank-lines", content: "\n\ntemp,flow\n\n1.5,20\n   \n2.5,21\n\n\n"},
		{name: "comments", content: "# logger 7\n# 2024-05-17\ntemp,flow\n1.5,20\n2.5,21\n"},
		{name: "comments-between", content: "# logger 7\ntemp,flow\n1.5,20\n# battery changed\n2.5,21\n"},
		{name: "comment-late", content: "temp,flow\n1.5,20\n" + strings.Repeat("2.5,21\n", 120) + "# the end\n"},
		{name: "comment-is-header", content: "# logger 7\n# temp, flow\n1.5,20\n2.5,21\n"},
		{name: "comment-is-value", content: "id,temp\n#1,1.5\n#2,2.5\n"},
		{name: "comment-set", content: "% logger 7\ntemp,flow\n1.5,20\n% battery\n2.5,21\n", set: set(dataset.CSV{Comment: "%"})},
		{name: "preamble", content: "Logger;X12\nSerial;4711\n\ntime;temp;flow\n08:00;1,5;20\n09:00;2,5;21\n10:00;3,5;22\n"},
		{name: "preamble-one-line", content: "Export of 17.05.2024\ntemp,flow\n" + rows},
		{name: "preamble-of-names", content: "Site A\ntime;temp\n08:00;warm\n09:00;cold\n10:00;warm\n"},
		{name: "preamble-set", content: "temp;flow\n°C;l/min\n\ntemp;flow\n" + german, set: set(dataset.CSV{Skip: 3})},
		{name: "preamble-short", content: "Logger X12\nSerial 4711\ntemp;flow\n1,5;20\n"},
		{name: "units", content: "time;temp;pressure;speed\n;°C;bar;m/s\n08:00;1,5;1,01;20\n09:00;2,5;1,02;21\n"},
		{name: "units-brackets", content: "time,temp,pressure\ns,[degC],(mbar)\n0,1.5,1010\n1,2.5,1020\n"},
		{name: "units-latin1", content: "temp;flow\n\xb0C;l/min\n1,5;20\n2,5;21\n"},
		{name: "units-unknown", content: "temp,flow\nwarmth,wetness\n1.5,20\n2.5,21\n"},
		{name: "units-unknown-set", content: "temp,flow\nwarmth,wetness\n1.5,20\n2.5,21\n", set: set(dataset.CSV{UnitsRow: &yes})},
		{name: "units-denied", content: "size,temp\nm,m\n1.5,20\n2.5,21\n", set: set(dataset.CSV{UnitsRow: &no})},
		{name: "header-unnamed-first", content: ",temp,flow\n0,1.5,20\n1,2.5,21\n"},
		{name: "points-unclear", content: "count;flow\n264;3\n1.002;4\n"},
		{name: "minus-at-the-end", content: "temp;flow\n1,5-;(20,5)\n2,5;21\n"},
		{name: "lines-above-padded", content: "Report;;\nfrom 1.3.;;\n\ntemp;flow;load\n1,5;20;3\n2,5;21;4\n"},
		{name: "header-unnamed", content: "temp,,flow\n1.5,3,20\n2.5,4,21\n"},
		{name: "header-duplicate", content: "temp,flow,temp\n1.5,20,3\n2.5,21,4\n"},
		{name: "header-none", content: rows},
		{name: "header-none-comma", content: german},
		{name: "header-none-dates", content: "2024-05-17,1.5,20\n2024-05-18,2.5,21\n"},
		{name: "header-short", content: "temp,flow\na,1.5,20\nb,2.5,21\n"},
		{name: "header-latin1", content: "Temperatur,K\xfchlung\n1.5,20\n2.5,21\n"},
		{name: "header-only", content: "temp,flow\n"},
		{name: "header-only-units", content: "temp,flow\n°C,bar\n"},
		{name: "ragged-short", content: "temp,flow\n1.5,20\n2.5\n"},
		{name: "ragged-long", content: "temp;flow\n1,5;20\n2,5;21;7\n"},
		{name: "missing", content: "temp,flow\n1.5,20\nNA,21\n2.5,-\n3.5,#N/A\n"},
		{name: "missing-german", content: "temp;flow\n1,5;20\n#NV;21\n2,5;n.a.\n"},
		{name: "percent", content: "temp,load\n1.5,50%\n2.5,60%\n"},
		{name: "dates", content: "day;temp\n17.05.2024;1,5\n18.05.2024;2,5\n"},
		{name: "huge-id", content: "id,temp\n90071992547409931,1.5\n90071992547409932,2.5\n"},
		{name: "addresses", content: "host;temp\n10.100.200.100;1.5\n10.100.200.101;2.5\n"},
		{name: "infinite", content: "temp,flow\n1.5,20\ninf,21\n"},
		{name: "nul", content: "temp,flow\n1.5,20\n2.\x005,21\n"},
		{name: "gzip", content: zipped(t, "temp;flow\n"+german)},
		{name: "excel", content: "PK\x03\x04\x14\x00\x06\x00 and so on"},
		{name: "html", content: "<!DOCTYPE html>\n<html><body>404</body></html>\n"},
		{name: "json", content: "{\"temp\": 1.5}\n"},
		{name: "empty", content: ""},
		{name: "blank-only", content: "\n  \n\n"},
		{name: "open-quote", content: "temp,flow\n1.5,\"20\n2.5,21\n"},
		{name: "text-only", content: of("colour,shape", "red,round", "blue,flat")},
		{name: "delimiter-set-wrong", content: "temp;flow\n" + german, set: set(dataset.CSV{Delimiter: "|"})},
	}
}
