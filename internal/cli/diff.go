package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/roster"
)

// compared are the differences between two agreements.
type compared struct {
	A           string              `json:"a"`           // file of the first agreement
	B           string              `json:"b"`           // file of the second agreement
	Differences []roster.Difference `json:"differences"` // also those in parts that are not signed
	Same        bool                `json:"same"`        // whether nothing that members sign differs
}

func (a *app) consortiumDiff() *cobra.Command {
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Show how two agreements differ",
		Long: `diff lists the differences between two agreements: members, columns, settings with both values,
files that they name, changes and signatures. Defaults count as if they were written. The exit
code is 0 if nothing that members sign differs, otherwise 5.`,
		Example: "  collabdict consortium diff consortium.yaml from-b.yaml",
		Args:    arguments(2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			var of [2]*roster.Roster
			for i, file := range args {
				var err error
				if of[i], err = roster.ReadDraft(file); err != nil {
					return err
				}
			}
			list, n := roster.Diff(of[0], of[1]), 0
			for _, d := range list {
				if d.Signed {
					n++
				}
			}
			result := compared{args[0], args[1], append([]roster.Difference{}, list...), n == 0}
			err := a.print(result, func(w io.Writer) {
				for _, d := range list {
					fmt.Fprintln(w, d.Text)
				}
				if n == 0 {
					fmt.Fprintln(w, "nothing that members sign differs")
				}
			})
			if err != nil || n == 0 {
				return err
			}
			return &printedError{fmt.Errorf("%s and %s differ in %s that members sign", args[0], args[1], count(n, "thing")), disagreement}
		},
	}
	a.addJSON(cmd)
	return cmd
}
