package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/roster"
)

// invited are the members that invite has added.
type invited struct {
	Added   []added `json:"added"`   // members whose cards were added
	Members int     `json:"members"` // members of the agreement now
}

// added is a member that a card has added.
type added struct {
	Addrs []string `json:"addrs"` // addresses that the others dial
	ID    string   `json:"id"`    // peer ID
	Name  string   `json:"name"`  // its name
}

func (a *app) consortiumInvite() *cobra.Command {
	var replace []string
	cmd := &cobra.Command{
		Use: "invite FILE CARD...", Short: "Add members to an agreement by their cards",
		Long: `invite adds members to an agreement by the cards that they made with collabdict consortium join.
It checks that each card is as its member signed it, that the member has the columns of the
agreement, and that no two members have the same name or peer ID. Comments in the file stay.

invite is for a run that has not begun; during a run, use collabdict consortium change. It makes
earlier signatures void: let all members sign again.`,
		Example: `  collabdict consortium invite plant-a/consortium.yaml plant-b.card plant-c.card
  collabdict consortium invite plant-a/consortium.yaml plant-b.card --replace plant-b`,
		Args: arguments(2, math.MaxInt),
		RunE: func(_ *cobra.Command, args []string) error {
			members, err := roster.Invite(args[0], args[1:], replace)
			if err != nil {
				return err
			}
			r, err := roster.ReadDraft(args[0])
			if err != nil {
				return err
			}
			result := invited{Members: len(r.Members)}
			for _, m := range members {
				result.Added = append(result.Added, added{m.Addrs, m.ID, m.Name})
			}
			err = a.print(result, func(w io.Writer) {
				for _, m := range members {
					fmt.Fprintf(w, "%s  %s\n", m.Name, m.ID)
				}
			})
			a.note("%s now has %s: compare the peer IDs with what the members tell you, send the file to all, and let each sign it", args[0], count(len(r.Members), "member"))
			if slices.ContainsFunc(r.States(), func(s roster.State) bool { return s.State == roster.Other }) {
				a.note("its earlier signatures are void: the members have changed")
			}
			return err
		},
	}
	cmd.Flags().StringSliceVar(&replace, "replace", nil, "`NAME` of a member whose card replaces its entry, for a new key or addresses; may be repeated")
	a.addJSON(cmd)
	return cmd
}

func (a *app) consortiumChange() *cobra.Command {
	var cards []string
	var change config.Change
	cmd := &cobra.Command{
		Use: "change FILE", Short: "Add or remove members during a run, pause it or resume it",
		Long: `change adds a change of the members, a pause or its end to an agreement, for a run under way. It
checks cards as collabdict consortium invite does, and that the change is possible. All members
give the same command, or copy the file. Their nodes read it at once, and make the change when
a quorum has it. To give a member a new key, remove and add it in one change.

With --pause, all members stop after the same round, and continue after a later change with
--resume. Processes may be stopped meanwhile.`,
		Example: `  collabdict consortium change plant-a/consortium.yaml --add plant-e.card
  collabdict consortium change plant-a/consortium.yaml --add plant-b.card --remove plant-b
  collabdict consortium change plant-a/consortium.yaml --pause
  collabdict consortium change plant-a/consortium.yaml --resume`,
		Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(cards)+len(change.Remove) == 0 && !change.Pause && !change.Resume {
				return &usageError{errors.New("want members to add or remove, --pause or --resume, got none"), "give --add CARD, --remove NAME, --pause or --resume"}
			}
			made, err := roster.AppendChange(args[0], cards, change)
			if err != nil {
				return err
			}
			a.note("added a change to %s: %s", args[0], describeChange(made))
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&cards, "add", nil, "`CARD` of a member that joins; may be repeated")
	cmd.Flags().StringSliceVar(&change.Remove, "remove", nil, "`NAME` of a member that leaves; may be repeated")
	cmd.Flags().BoolVar((*bool)(&change.Pause), "pause", false, "pause the run; no other change with it")
	cmd.Flags().BoolVar((*bool)(&change.Resume), "resume", false, "resume a paused run; no other change with it")
	return cmd
}
