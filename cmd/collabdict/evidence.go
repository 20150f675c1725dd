package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/node"
)

func (a *app) evidence() *cobra.Command {
	cmd := &cobra.Command{
		Use: "evidence FILE...", Short: "Check signed votes that were kept when a member was named",
		Long: `evidence checks the signatures in evidence-*.json files and names the members that have
signed two results where an honest member signs one. A node writes such a file to its folder when
a run ends because of another member's vote. Where the votes of one file prove nothing, those of
several members of the run together may. Compare the peer IDs with the agreement.`,
		Example: "  collabdict evidence plant-a/evidence-4f1c09aa3be2d754.json plant-c/evidence-4f1c09aa3be2d754.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{"want evidence-*.json files of one run, got none", "they are in the folders of the members that have named another"}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var files [][]byte
			for _, path := range args {
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				files = append(files, b)
			}
			found, err := node.CheckEvidence(files...)
			if err != nil {
				return &usageError{err.Error(), "take the files as the nodes have written them"}
			}
			return a.print(map[string]any{"two_results": append([]node.Contradiction{}, found...)}, func(w io.Writer) {
				for _, c := range found {
					fmt.Fprintf(w, "%s (%s) has signed two results in slot %d: %.16s in ballot %d and %.16s in ballot %d\n",
						c.Name, c.ID, c.Slot, c.Results[0], c.Ballots[0], c.Results[1], c.Ballots[1])
				}
				if len(found) == 0 {
					fmt.Fprintln(w, "all signatures are right, and no member has signed two results: add the files of other members of the run")
				}
			})
		},
	}
	a.addJSON(cmd)
	return cmd
}
