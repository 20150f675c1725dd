package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// comparisons say which of two models is better for the rows of each member.
type comparisons struct {
	Participants []memberComparison `json:"participants"` // in the order of names
}

// memberComparison is the comparison of a member's two models.
type memberComparison struct {
	Participant string `json:"participant"` // the member
	*comparison
}

// membersOf returns the members in the folder after with their files, if it and the folder before have
// several members, and nil if both have one model.
func (s scoredFlags) membersOf(before, after string) ([]scoredMember, error) {
	var all [2][]scoredMember
	for i, folder := range []string{before, after} {
		of := s
		of.model = folder
		var err error
		if all[i], err = of.members(); err != nil {
			return nil, err
		}
	}
	old, members := all[0], all[1]
	if (old == nil) != (members == nil) {
		several, one := before, after
		if old == nil {
			several, one = after, before
		}
		return nil, &flagError{"model", fmt.Sprintf("%s has several members, but %s has one model", several, one), "name two folders of one kind"}
	}
	for _, m := range members {
		if !slices.ContainsFunc(old, func(o scoredMember) bool { return o.name == m.name }) {
			return nil, &flagError{"model", fmt.Sprintf("%s has the member %s, but %s has not", after, m.name, before), "leave its file out"}
		}
	}
	return members, nil
}

// compareMembers compares the models of members with those of the same names in the folder before.
func (a *app) compareMembers(s scoredFlags, before string, members []scoredMember) error {
	all := comparisons{Participants: []memberComparison{}}
	for _, m := range members {
		of := s
		of.data = m.files
		c, err := a.compareModels(of, filepath.Join(before, m.name, model.File), m.model, m.name+": ")
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		all.Participants = append(all.Participants, memberComparison{m.name, c})
	}
	return a.print(all, func(w io.Writer) {
		all.text(w)
		if len(members) > 0 {
			fmt.Fprintf(w, "One in detail: %s\n", quoted("collabdict", append([]string{"compare", filepath.Join(before, members[0].name), filepath.Dir(members[0].model)}, members[0].files...)))
		}
	})
}

// text prints a line for each member.
func (c *comparisons) text(w io.Writer) {
	var judged []string
	rules, unclear := false, false
	for _, m := range c.Participants {
		if m.By != "" && !slices.Contains(judged, m.By) {
			judged = append(judged, m.By)
		}
		rules = rules || m.Old.rules || m.New.rules
		unclear = unclear || m.Better == ""
	}
	slices.SortFunc(judged, func(a, b string) int { return cmp.Compare(foundBy[a], foundBy[b]) })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "participant\trows\tanomalies old\tanomalies new\t"
	for _, by := range judged {
		head += foundBy[by] + " old\t" + foundBy[by] + " new\t"
	}
	fmt.Fprintln(t, head+"better\t")
	for _, m := range c.Participants {
		line := fmt.Sprintf("%s\t%d\t%s\t%s\t", m.Participant, m.Judged, m.Old.counted(), m.New.counted())
		for _, by := range judged {
			old, now := "", ""
			if m.By == by {
				old, now = m.found(&m.Old), m.found(&m.New)
			}
			line += old + "\t" + now + "\t"
		}
		fmt.Fprintln(t, line+cmp.Or(m.Better, "not clear")+"\t")
	}
	t.Flush()
	fmt.Fprintln(w)
	if slices.Contains(judged, report.ByFaults) {
		fmt.Fprintln(w, "faulty rows: those above the score of one normal row in a hundred, or of --false-alarm")
	}
	if slices.Contains(judged, report.ByExchanged) {
		fmt.Fprintln(w, "tests: rows with one value of another row, percent above normal rows")
	}
	if rules {
		fmt.Fprintf(w, "*: by the threshold in %s\n", alarmsFile)
	}
	if unclear {
		fmt.Fprintln(w, "not clear: by chance either could be better; more rows or faults would show which")
	}
}

// counted returns the number of anomalies, marked if the threshold is that of rules.
func (m *comparedModel) counted() string {
	if m.rules {
		return fmt.Sprintf("%d*", m.Anomalies)
	}
	return fmt.Sprint(m.Anomalies)
}

// found returns what one of the models finds: faulty rows, or test faults in percent.
func (c *comparison) found(m *comparedModel) string {
	if m.Found != nil {
		return fmt.Sprintf("%d of %d", *m.Found, *c.Faults)
	}
	return report.Fixed(100*m.ROCAUC.Value, 1)
}
