package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/node"
)

func (a *app) consortium() *cobra.Command {
	cmd := &cobra.Command{
		Use: "consortium", Short: "Make what members agree on before a run: a secret, or a signed list of members",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.consortiumSecret())
	return cmd
}

func (a *app) consortiumSecret() *cobra.Command {
	return &cobra.Command{
		Use: "secret FILE", Short: "Make a secret for members that find each other by --expect",
		Long: `secret writes 32 random bytes as hexadecimal digits into FILE, which only its owner can read.
Give it to the other members on a safe way, such as scp. All start run with --secret-file FILE.
Members prove to each other that they have it, and do not send it.`,
		Example: "  collabdict consortium secret our.secret",
		Args:    oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := node.MakeSecret(args[0]); err != nil {
				return &usageError{err.Error(), ""}
			}
			a.note("%s has a new secret: give it to the other members, and to nobody else", args[0])
			return nil
		},
	}
}

// oneFile wants the name of a file as the only argument.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return &usageError{fmt.Sprintf("want one FILE, got %d", len(args)), "see " + cmd.CommandPath() + " --help"}
	}
	return nil
}
