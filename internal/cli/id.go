package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/node"
)

// identified is the peer ID of a folder.
type identified struct {
	ID string `json:"id"` // peer ID by which an agreement lists the participant
}

func (a *app) id() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "id [DIR]", Short: "Print the peer ID of a participant's folder, and make a key if it has none",
		Long: `id prints the peer ID by which an agreement lists a participant. If the folder has no key,
id makes one; the private key stays in the folder. The folder must exist, so that a misspelt
name does not make a key for nobody.`,
		Example: "  collabdict id plant-h",
		Args:    orArgument("dir"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return &flagError{"dir", "want the folder of a participant, got nothing", ""}
			}
			if err := checkMember(cmd, dir); err != nil {
				return err
			}
			id, err := node.Identity(dir)
			if err != nil {
				return err
			}
			return a.print(identified{id.String()}, func(w io.Writer) { fmt.Fprintln(w, id) })
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`FOLDER` of the participant")
	a.addJSON(cmd)
	return cmd
}
