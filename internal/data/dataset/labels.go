package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// labelValues are the values of a column of labels.
type labelValues struct {
	anomalies, normal []string
}

func labelsOf(values, anomalies []string) *labelValues {
	out := &labelValues{}
	if len(anomalies) == 0 {
		anomalies = []string{"1"}
	}
	for _, v := range values {
		if slices.ContainsFunc(anomalies, func(a string) bool { return strings.EqualFold(a, v) }) {
			out.anomalies = append(out.anomalies, v)
		} else {
			out.normal = append(out.normal, v)
		}
	}
	return out
}

// contradicts reports whether an anomaly in one file is normal in the other.
func (l *labelValues) contradicts(other *labelValues) bool {
	return common(l.anomalies, other.normal) || common(l.normal, other.anomalies)
}

// differs reports whether files have labels of two kinds: they contradict each other, or both have several and
// none in common.
func (l *labelValues) differs(other *labelValues) bool {
	all, others := l.all(), other.all()
	return l.contradicts(other) || len(all) > 1 && len(others) > 1 && !common(all, others)
}

func common(a, b []string) bool {
	return slices.ContainsFunc(a, func(v string) bool {
		return slices.ContainsFunc(b, func(w string) bool { return strings.EqualFold(v, w) })
	})
}

func (l *labelValues) all() []string {
	return slices.Sorted(slices.Values(slices.Concat(l.anomalies, l.normal)))
}

// differentLabels returns the finding about files whose labels in a column are of several kinds, nil if they are
// not. unclear reports whether labels contradict each other.
func differentLabels(column string, profiles []*Profile) (found *CommonFinding, unclear bool) {
	var first *labelValues
	var kinds []string // values of each kind
	files := map[string][]string{}
	differ := false
	for _, p := range profiles {
		i := slices.IndexFunc(p.Findings, func(f Finding) bool { return f.Column == column && f.labels != nil })
		if i < 0 {
			continue
		}
		l := p.Findings[i].labels
		if first == nil {
			first = l
		}
		differ, unclear = differ || first.differs(l), unclear || first.contradicts(l)
		kind := listed(l.all())
		if l.anomalies != nil {
			kind += " (" + listed(l.anomalies) + " for anomalies)"
		}
		if files[kind] == nil {
			kinds = append(kinds, kind)
		}
		files[kind] = append(files[kind], p.File)
	}
	if !differ {
		return nil, false
	}
	out := &CommonFinding{Column: column, Kind: "labels"} // in the files whose labels are not those of the first
	for _, kind := range kinds[1:] {
		out.Files = append(out.Files, files[kind]...)
	}
	in := files[kinds[0]]
	out.Message = fmt.Sprintf("labels are %s in %s", kinds[0], in[0])
	if n := len(in) - 1; n > 0 {
		out.Message += fmt.Sprintf(" and %d more", n)
	}
	out.Message += ", but " + strings.Join(kinds[1:], " or ")
	return out, unclear
}
