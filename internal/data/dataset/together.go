package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Common describes several files as the rows of one run, whose files must have the same features.
type Common struct {
	Rows     int             `json:"rows"`     // rows of all files
	Columns  []string        `json:"columns"`  // columns that all files have
	Missing  float64         `json:"missing"`  // share of missing cells in these columns
	Findings []CommonFinding `json:"findings"` // what their owners should know, by column
	Flags    Flags           `json:"flags"`    // recommended for all files
}

// A CommonFinding is something about a column in some of several files.
type CommonFinding struct {
	Column string `json:"column"` // its name; "" for a finding about rows
	// Kind is that of a finding in a file, absent for a column that other files lack, labels for one whose
	// labels are of several kinds, or short for files with few rows.
	Kind    string   `json:"kind"`
	Message string   `json:"message"` // what was found in the first of the files, and the number of cells in all
	Files   []string `json:"files"`   // where; for absent, the files that lack the column

	counted *cellCount // as in a Finding
}

// Together compares the profiles of files. Columns that training would not find in all files are to be
// ignored.
func Together(profiles []*Profile) *Common {
	out := &Common{Columns: []string{}, Findings: []CommonFinding{}}
	in, numbers := map[string][]string{}, map[string]int{} // files by column
	var names []string
	for _, p := range profiles {
		out.Rows += p.Rows
		for _, c := range p.Columns {
			if in[c.Name] == nil {
				names = append(names, c.Name)
			}
			in[c.Name] = append(in[c.Name], p.File)
			numbers[c.Name] += one(c.Type == "number")
		}
	}
	for _, name := range names {
		if len(in[name]) == len(profiles) {
			out.Columns = append(out.Columns, name)
		}
	}
	missing, cells := 0.0, 0.0
	for _, p := range profiles {
		for _, c := range p.Columns {
			if len(in[c.Name]) == len(profiles) {
				missing, cells = missing+c.Missing*float64(p.Rows), cells+float64(p.Rows)
			}
		}
		for _, f := range p.Findings {
			out.found(CommonFinding{Column: f.Column, Kind: f.Kind, Message: f.Message, Files: []string{p.File}, counted: f.counted})
		}
	}
	out.Missing = missing / max(cells, 1)
	var anomalies []string
	told := false               // a file's flags name anomalies
	ignored := map[string]int{} // files in which a column is to be ignored
	for _, p := range profiles {
		f := &p.Flags
		for _, name := range f.Ignore {
			ignored[name]++
		}
		if len(in[f.Label]) == len(profiles) && out.Flags.Label == "" {
			out.Flags.Label = f.Label
		}
		if f.Label == out.Flags.Label {
			if i := slices.IndexFunc(p.Findings, func(of Finding) bool { return of.Column == f.Label && of.labels != nil }); i >= 0 {
				anomalies = append(anomalies, p.Findings[i].labels.anomalies...)
			}
			told = told || f.Anomaly != ""
		}
		if len(in[f.TimeColumn]) == len(profiles) {
			out.Flags.TimeColumn = cmp.Or(out.Flags.TimeColumn, f.TimeColumn)
		}
		out.Flags.Missing = cmp.Or(out.Flags.Missing, f.Missing)
		for _, name := range f.Keep {
			if !slices.Contains(out.Flags.Keep, name) {
				out.Flags.Keep = append(out.Flags.Keep, name)
			}
		}
	}
	if told {
		slices.Sort(anomalies)
		out.Flags.Anomaly = strings.Join(slices.Compact(anomalies), ",")
	}
	different := ""
	f, unclear := differentLabels(out.Flags.Label, profiles)
	if f != nil {
		different = f.Column
		out.Findings = slices.DeleteFunc(out.Findings, func(of CommonFinding) bool { return of.Column == f.Column && of.Kind == "label" })
		out.Findings = append(out.Findings, *f)
	}
	if unclear {
		out.Flags.Label, out.Flags.Anomaly = "", ""
		out.Flags.Keep = slices.DeleteFunc(out.Flags.Keep, func(name string) bool { return name == f.Column })
	}
	for _, name := range names {
		n, sensor := len(in[name]), numbers[name]
		switch {
		case name == different:
			continue
		case n < len(profiles):
			out.Findings = append(out.Findings, absent(name, profiles))
		case sensor > 0 && sensor < n: // numbers in some files only
		case !out.lasting(profiles, name, ignored[name]):
			continue
		}
		if name != out.Flags.Label {
			out.Flags.Ignore = append(out.Flags.Ignore, name)
		}
	}
	if f := shortFiles(profiles); f != nil {
		out.Findings = append(out.Findings, *f)
	}
	return out
}

// fewRows is the share of the median number of rows below which a file is short.
const fewRows = 0.2

// shortFiles returns the finding about files that are much shorter than most, or nil.
func shortFiles(profiles []*Profile) *CommonFinding {
	rows := make([]int, len(profiles))
	for i, p := range profiles {
		rows[i] = p.Rows
	}
	slices.Sort(rows)
	median := rows[len(rows)/2]
	f := &CommonFinding{Kind: "short"}
	least := median
	for _, p := range profiles {
		if float64(p.Rows) < fewRows*float64(median) {
			f.Files, least = append(f.Files, p.File), min(least, p.Rows)
		}
	}
	if f.Files == nil {
		return nil
	}
	f.Message = fmt.Sprintf("only %d rows, where most files have %d or more: at first, whatever is new there counts as an anomaly", least, median)
	return f
}

// absent returns the finding about a column that some files lack.
func absent(name string, profiles []*Profile) CommonFinding {
	f, like := CommonFinding{Column: name, Kind: "absent"}, ""
	for _, p := range profiles {
		if slices.ContainsFunc(p.Columns, func(c ColumnProfile) bool { return c.Name == name }) {
			continue
		}
		f.Files = append(f.Files, p.File)
		for _, c := range p.Columns {
			if like == "" && strings.EqualFold(c.Name, name) {
				like = fmt.Sprintf(", but %q: give columns the same names", c.Name)
			}
		}
	}
	f.Message = fmt.Sprintf("%d of %d files have no such column%s", len(f.Files), len(profiles), like)
	return f
}

// lasting reports whether a column that is to be ignored in a number of files is to be ignored in all. One that
// is constant, or repeats another, in some files only may vary in the others.
func (c *Common) lasting(profiles []*Profile, name string, files int) bool {
	if files == 0 || files == len(profiles) {
		return files > 0
	}
	return slices.ContainsFunc(c.Findings, func(f CommonFinding) bool {
		return f.Column == name && slices.Contains([]string{"ordinal", "label", "decimal", "no-number", "empty"}, f.Kind)
	})
}

// found adds a finding, or its file to that of the same kind.
func (c *Common) found(f CommonFinding) {
	i := slices.IndexFunc(c.Findings, func(of CommonFinding) bool { return of.Column == f.Column && of.Kind == f.Kind })
	if i < 0 {
		c.Findings = append(c.Findings, f)
		return
	}
	of := &c.Findings[i]
	of.Files = append(of.Files, f.Files...)
	if of.counted != nil && f.counted != nil {
		sum := *of.counted // that of the file stays
		sum.n += f.counted.n
		of.counted, of.Message = &sum, sum.String()
	}
}
