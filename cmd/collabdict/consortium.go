package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/roster"
	"github.com/collabdict/collabdict/node"
)

func (a *app) consortium() *cobra.Command {
	cmd := &cobra.Command{
		Use: "consortium", Short: "Make what members agree on before a run: a secret, or a signed list of members",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.consortiumSecret(), a.consortiumSign(), a.consortiumVerify())
	return cmd
}

func (a *app) consortiumSecret() *cobra.Command {
	return &cobra.Command{
		Use: "secret FILE", Short: "Make a secret for members that find each other by --expect",
		Long: `secret writes 32 random bytes as hexadecimal digits into FILE, which only its owner can read.
Give it to the other members on a safe way, such as scp. All start run with --secret-file FILE.
Members prove to each other that they have it, and do not send it.`,
		Example: "  collabdict consortium secret our.secret",
		Args:    oneFile(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := node.MakeSecret(args[0]); err != nil {
				return &usageError{err.Error(), ""}
			}
			a.note("%s has a new secret: give it to the other members, and to nobody else", args[0])
			return nil
		},
	}
}

func (a *app) consortiumSign() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "sign [FILE]", Short: "Sign the agreement as one of its members",
		Long: `sign puts the signature of the participant in --dir into consortium.yaml, in place of an
earlier one. It signs what the file says, defaults included, and files that it names: members
with their peer IDs, columns, model, and how sums are made. Comments, the order of keys,
addresses, and changes of the members are not signed. FILE is by default the one that node.yaml
names. Read it first: whoever signs it agrees to it.`,
		Example: "  collabdict consortium sign --dir plant-a\n  collabdict consortium sign --dir plant-a consortium.yaml",
		Args:    oneFile(0),
		RunE: func(_ *cobra.Command, args []string) error {
			if dir == "" {
				return &usageError{"--dir: want the folder of a participant, got nothing", ""}
			}
			var file string
			if len(args) > 0 {
				file = args[0]
			} else {
				own, err := config.ReadNode(dir)
				if err != nil {
					return err
				}
				file = own.Consortium
			}
			names, r, err := roster.Sign(file, dir)
			if err != nil {
				return err
			}
			a.note("%s has signed %s", names[0], file)
			if err := r.Check(); err != nil {
				a.note("%v", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`FOLDER` of the participant, with its key")
	return cmd
}

func (a *app) consortiumVerify() *cobra.Command {
	return &cobra.Command{
		Use: "verify FILE", Short: "List which members have signed an agreement",
		Long: `verify lists each member of consortium.yaml, and whether it has signed the file as it is. The
exit code is 0 if all have.`,
		Example: "  collabdict consortium verify consortium.yaml",
		Args:    oneFile(1),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := roster.Read(args[0])
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, s := range r.States() {
				fmt.Fprintf(w, "%s\t%s\n", s.Name, s.State)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			return r.Check()
		},
	}
}

// oneFile wants the name of a file as the only argument. If least is 0, there may be none.
func oneFile(least int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > 1 {
			return &usageError{fmt.Sprintf("want one FILE, got %d", len(args)), "see " + cmd.CommandPath() + " --help"}
		}
		return nil
	}
}
