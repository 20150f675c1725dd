package cli

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/roster"
	"github.com/collabdict/collabdict/node"
)

func (a *app) consortium() *cobra.Command {
	cmd := &cobra.Command{
		Use: "consortium", Short: "Prepare a run: make a shared secret, or an agreement that all members sign",
		Long: `consortium makes what the members of a run need beforehand. Members that know each other
sign an agreement, consortium.yaml, in five steps:

  1. One member starts it:               consortium new plant-a/consortium.yaml --dir plant-a
     and sends the file to the others, who read it.
  2. Each of the others makes its card:  consortium join --dir plant-b > plant-b.card
     and sends the card back.
  3. The first adds them by their cards: consortium invite plant-a/consortium.yaml plant-b.card plant-c.card
     and sends the file to all again.
  4. Each signs its copy:                consortium sign --dir plant-b
     and sends it back.
  5. The first collects signatures:      consortium verify plant-a/consortium.yaml from-b.yaml from-c.yaml
     and sends the file to all, who start run.

A card holds a member's entry for the agreement, signed by its key, so nobody types a peer ID.
If copies differ, consortium diff shows where. Members that need no list share a secret instead.`,
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.consortiumNew(), a.consortiumJoin(), a.consortiumInvite(), a.consortiumSign(), a.consortiumVerify(),
		a.consortiumDiff(), a.consortiumChange(), a.consortiumSecret())
	return cmd
}

func (a *app) consortiumSecret() *cobra.Command {
	return &cobra.Command{
		Use: "secret FILE", Short: "Make a secret for members that find each other by --expect",
		Long: `secret writes 32 random bytes as hexadecimal digits into FILE, which only its owner can read.
Send it to the other members safely, such as by scp. All start run with --secret-file FILE.
Members prove to each other that they have the secret, and never send it.`,
		Example: "  collabdict consortium secret our.secret",
		Args:    arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := node.MakeSecret(args[0]); err != nil {
				return &usageError{err, ""}
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
		Long: `sign writes the signature of the participant in --dir into consortium.yaml, and replaces an
earlier one. It signs the members with their peer IDs, the columns, the model and how sums are
made, defaults included, and the files that the agreement names. It does not sign comments, the
order of keys, addresses, or changes of the members. FILE is by default the one that node.yaml
names. Read it first: a signature is consent.`,
		Example: "  collabdict consortium sign --dir plant-a\n  collabdict consortium sign --dir plant-a consortium.yaml",
		Args:    arguments(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if dir == "" {
				return &flagError{"dir", "want the folder of a participant, got nothing", ""}
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

// signatures are the members of an agreement, with the states of their signatures.
type signatures struct {
	Members []signature `json:"members"` // all members, in the order of the agreement
}

// signature is the state of a member's signature.
type signature struct {
	Name  string `json:"name"`  // name of the member
	State string `json:"state"` // signed, not signed, or signed other content
}

func (a *app) consortiumVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify FILE [COPY...]", Short: "Show which members have signed an agreement, and collect signatures",
		Long: `verify lists each member of consortium.yaml, and whether it has signed the file as it is now.
The exit code is 0 if all have signed. If something that is signed changes, such as a member,
all signatures become void.

With COPY, verify first takes signatures from members' copies of the file into FILE. It takes
only those that are valid for FILE.`,
		Example: "  collabdict consortium verify consortium.yaml\n  collabdict consortium verify consortium.yaml from-b.yaml from-c.yaml",
		Args:    arguments(1, math.MaxInt),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.collect(args[0], args[1:]); err != nil {
				return err
			}
			r, err := roster.Read(args[0])
			if err != nil {
				return err
			}
			var found signatures
			for _, s := range r.States() {
				found.Members = append(found.Members, signature(s))
			}
			err = a.print(found, func(to io.Writer) {
				w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
				for _, s := range found.Members {
					fmt.Fprintf(w, "%s\t%s\n", s.Name, s.State)
				}
				w.Flush()
			})
			if err != nil {
				return err
			}
			if err := r.Check(); err != nil {
				return &printedError{error: err}
			}
			return nil
		},
	}
	a.addJSON(cmd)
	return cmd
}

// collect copies valid signatures from copies of an agreement into file.
func (a *app) collect(file string, copies []string) error {
	if len(copies) == 0 {
		return nil
	}
	names, other, err := roster.Collect(file, copies...)
	for _, name := range names {
		a.note("added the signature of %s to %s", name, file)
	}
	for _, path := range other {
		a.note("%s has no signature that is valid for %s: collabdict consortium diff shows how they differ", path, file)
	}
	return err
}
