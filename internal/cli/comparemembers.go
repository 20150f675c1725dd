package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

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
		c, err := a.compareModels(of, filepath.Join(before, m.name, model.File), m.model)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		all.Participants = append(all.Participants, memberComparison{m.name, c})
	}
	return a.print(all, func(w io.Writer) {
		all.text(w)
		if len(members) > 0 {
			fmt.Fprintf(w, "\nOne in detail: %s\n", quoted("collabdict", append([]string{"compare", filepath.Join(before, members[0].name), filepath.Dir(members[0].model)}, members[0].files...)))
		}
	})
}

// text prints a line for each member.
func (c *comparisons) text(w io.Writer) {
	faults := slices.ContainsFunc(c.Participants, func(m memberComparison) bool { return m.Faults != nil })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "participant\trows\tanomalies old\tnew\t"
	if faults {
		head += "faulty rows\tfound old\tnew\t"
	}
	fmt.Fprintln(t, head+"ROC-AUC old\tnew\t± difference\tbetter\t")
	unclear := false
	for _, m := range c.Participants {
		line := fmt.Sprintf("%s\t%d\t%d\t%d\t", m.Participant, m.Judged, m.Old.Anomalies, m.New.Anomalies)
		switch {
		case faults && m.Faults != nil:
			line += fmt.Sprintf("%d\t%d\t%d\t", *m.Faults, *m.Old.Found, *m.New.Found)
		case faults:
			line += "\t\t\t"
		}
		unclear = unclear || m.Better == ""
		fmt.Fprintf(t, "%s%v\t%v\t%v\t%s\t\n", line, m.Old.ROCAUC, m.New.ROCAUC, m.Error, cmp.Or(m.Better, "not clear"))
	}
	t.Flush()
	if unclear {
		fmt.Fprintln(w, "\nnot clear: by chance either could be better; more rows, or labelled faults, would show which")
	}
}
