package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/node"
)

// contradictions are the members that signed two results.
type contradictions struct {
	TwoResults []node.Contradiction `json:"two_results"` // empty if no member signed two results
}

func (a *app) evidence() *cobra.Command {
	cmd := &cobra.Command{
		Use: "evidence FILE...", Short: "Check the signed votes in evidence files, and name members that voted twice",
		Long: `evidence checks the signatures in evidence-*.json files. It names members that signed two
results where an honest member signs one. A node writes such a file to its folder when a run ends
because of another member's vote. If the votes in one file prove nothing, those in the files of
several members of the run may. Compare the peer IDs with the agreement.`,
		Example: "  collabdict evidence plant-a/evidence-4f1c09aa3be2d754.json plant-c/evidence-4f1c09aa3be2d754.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{errors.New("want evidence-*.json files of one run, got none"), "look in the folders of members whose run ended because of another member's vote"}
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
				return &usageError{err, "use the files as the nodes wrote them"}
			}
			return a.print(contradictions{append([]node.Contradiction{}, found...)}, func(w io.Writer) {
				for _, c := range found {
					fmt.Fprintf(w, "%s (%s) signed two results in slot %d: %.16s in ballot %d and %.16s in ballot %d\n",
						c.Name, c.ID, c.Slot, c.Results[0], c.Ballots[0], c.Results[1], c.Ballots[1])
				}
				if len(found) == 0 {
					fmt.Fprintln(w, "all signatures are valid, and no member signed two results: add the files of other members of the run")
				}
			})
		},
	}
	a.addJSON(cmd)
	return cmd
}
