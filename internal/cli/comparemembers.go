package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/scoring"
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
func (a *app) compareMembers(s scoredFlags, before, after string, members []scoredMember) error {
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
		all.text(w, s.thresholdFlags)
		for _, side := range []string{keptByOld, keptByNew} {
			var names []string
			for _, m := range all.Participants {
				if m.Kept == side {
					names = append(names, m.Participant)
				}
			}
			switch len(names) {
			case 0:
			case len(all.Participants):
				noteKept(w, side, nil, before, after, s.typed())
			default:
				noteKept(w, side, names, before, after, s.typed())
			}
		}
		if len(members) > 0 {
			one := append([]string{"compare", filepath.Join(before, members[0].name), filepath.Dir(members[0].model)}, members[0].files...)
			fmt.Fprintf(w, "One in detail: %s\n", quoted("collabdict", append(one, s.typed()...)))
		}
	})
}

// text prints a line for each member.
func (c *comparisons) text(w io.Writer, flags thresholdFlags) {
	kept, unclear, labelled, tested := false, false, false, false
	for _, m := range c.Participants {
		labelled = labelled || m.Faults != nil
		tested = tested || m.By == report.ByExchanged
		kept = kept || m.Kept == keptByBoth
		unclear = unclear || m.Better == ""
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "participant\trows\tanomalies\t"
	if labelled {
		head += "faults\tfalse alarms\tfaulty rows\t"
	}
	if tested {
		head += "tests\t"
	}
	fmt.Fprintln(t, head+"better\t")
	for _, m := range c.Participants {
		mark := ""
		if m.Kept == keptByBoth {
			mark = "*"
		}
		line := fmt.Sprintf("%s%s\t%d\t%d → %d\t", m.Participant, mark, m.Judged, m.Old.Anomalies, m.New.Anomalies)
		if labelled {
			line += m.ofFaults()
		}
		if tested {
			if m.By == report.ByExchanged {
				line += report.Fixed(100*m.Old.ROCAUC.Value, 1) + " → " + report.Fixed(100*m.New.ROCAUC.Value, 1)
			}
			line += "\t"
		}
		fmt.Fprintln(t, line+cmp.Or(m.Better, "not clear")+"\t")
	}
	t.Flush()
	fmt.Fprintln(w, "\n→: by the old model, and by the new one")
	by, counted := flags.named(), "anomalies"
	if kept {
		by += "; of members with *, by those in " + scoring.RulesFile
	}
	if labelled {
		counted += ", faults, false alarms"
	}
	fmt.Fprintf(w, "%s: by %s\n", counted, by)
	if labelled {
		fmt.Fprintln(w, "faulty rows: above the score of one normal row in a hundred, or of --false-alarm")
	}
	if tested {
		fmt.Fprintln(w, "tests: rows with one value of another row, percent above normal rows")
	}
	if unclear {
		fmt.Fprintln(w, "not clear: by chance either could be better; more rows or faults would show which")
	}
}

// ofFaults returns the cells of a line about faults, empty if the rows have none.
func (c *comparison) ofFaults() string {
	faults, alarms, found := "", "", ""
	if c.Events != nil {
		faults = fmt.Sprintf("%d → %d of %d", *c.Old.Events, *c.New.Events, *c.Events)
		alarms = fmt.Sprintf("%d → %d", *c.Old.FalseAlarms, *c.New.FalseAlarms)
	}
	if c.Faults != nil {
		found = fmt.Sprintf("%d → %d of %d", *c.Old.Found, *c.New.Found, *c.Faults)
	}
	return faults + "\t" + alarms + "\t" + found + "\t"
}
