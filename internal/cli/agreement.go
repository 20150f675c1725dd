package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/engine"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/roster"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/node"
)

// cardFlags name the participant of a card.
type cardFlags struct{ dir string }

func (c *cardFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.dir, "dir", "", "`FOLDER` of the participant, with its key and node.yaml")
}

// card returns the card of the participant. If agreed is not nil, the card has only its
// columns.
func (c *cardFlags) card(ctx context.Context, own *config.Node, agreed []string) (*config.Card, error) {
	spec, err := own.Spec()
	if err != nil {
		return nil, err
	}
	columns, err := featuresOf(ctx, spec)
	if err != nil {
		return nil, err
	}
	addrs := own.Announce
	if len(addrs) == 0 {
		if addrs, err = node.ReachedAt(own.Listen); err != nil {
			return nil, &config.Error{File: filepath.Join(c.dir, config.NodeFile), Err: err, Hint: "correct the file"}
		}
	}
	if agreed != nil {
		of := config.Card{Columns: columns}
		if lacks := of.Lacks(agreed); len(lacks) > 0 {
			return nil, &dataset.Error{
				File: strings.Join(own.Data, ", "), Msg: fmt.Sprintf("want all columns of the agreement, missing %q", lacks),
				Hint: fmt.Sprintf("the columns are %q: rename them to the agreed names (rename in node.yaml), or agree on other columns", columns),
			}
		}
		columns = agreed
	}
	return roster.NewCard(c.dir, own.Name, addrs, columns)
}

func featuresOf(ctx context.Context, spec dataset.Spec) ([]string, error) {
	if len(spec.Engine) > 0 {
		return engine.Columns(ctx, spec.Engine, spec)
	}
	if err := forward(ctx, &spec); err != nil {
		return nil, err
	}
	columns, _, err := dataset.Features(spec)
	return columns, err
}

// node reads the participant's node.yaml.
func (c *cardFlags) node() (*config.Node, error) {
	if c.dir == "" {
		return nil, &flagError{"dir", "want the folder of a participant, got nothing", "make one with collabdict init"}
	}
	return config.ReadNode(c.dir)
}

func (a *app) consortiumNew() *cobra.Command {
	var (
		of      taskFlags
		card    cardFlags
		beginAt string
	)
	cmd := &cobra.Command{
		Use: "new FILE", Short: "Start an agreement, with its first member",
		Long: `new writes a new agreement into FILE: the model and how sums are made, with a comment on each
setting. It takes the same options as run. The participant in --dir is the first member. The
columns are those of its rows. Send the file to the others, and add them by their
cards with collabdict consortium invite. Until members sign it, you can edit the file by hand.`,
		Example: `  collabdict consortium new plant-a/consortium.yaml --dir plant-a
  collabdict consortium new plant-a/consortium.yaml --dir plant-a --components 8 --ranges 0,100 --begin-at 2026-05-04T06:00:00Z`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := of.task(algorithm.Auto)
			if err != nil {
				return err
			}
			own, err := card.node()
			if err != nil {
				return err
			}
			first, err := card.card(cmd.Context(), own, nil)
			if err != nil {
				return err
			}
			agreed, err := newAgreement(task, first, beginAt)
			if err != nil {
				return err
			}
			if err := writeAgreement(args[0], agreed, task); err != nil {
				return err
			}
			a.noteCard(first)
			a.note("wrote %s, an agreement on %s: read it, and send it to the other members; add them by their cards with collabdict consortium invite", args[0], count(len(first.Columns), "column"))
			if expected := own.Consortium; !sameFile(expected, args[0]) {
				a.note("%s names another agreement, %s: correct it there", filepath.Join(card.dir, config.NodeFile), expected)
			}
			return nil
		},
	}
	card.add(cmd)
	of.add(cmd)
	cmd.Flags().StringVar(&beginAt, "begin-at", "", "begin no run before `TIME`, such as 2026-05-04T06:00:00Z; members may find each other earlier")
	return cmd
}

func newAgreement(t *pipeline.Task, first *config.Card, beginAt string) (*config.Consortium, error) {
	all := rows.WindowColumns(first.Columns, t.Window)
	if err := t.CheckColumns(len(all)); err != nil {
		return nil, asUsage(err)
	}
	c, err := config.NewConsortium(t, all, []config.Member{first.Member})
	if err != nil {
		return nil, err
	}
	c.BeginAt = beginAt
	if _, err := c.Begins(); err != nil {
		return nil, asUsage(err)
	}
	return c, nil
}

// writeAgreement writes a new agreement, and the files that it names beside it.
func writeAgreement(file string, c *config.Consortium, t *pipeline.Task) error {
	if _, err := os.Lstat(file); err == nil {
		return &config.Error{File: file, Err: errors.New("already exists"), Hint: "choose another name, or move it away"}
	}
	for name, from := range c.Files(t) {
		to := filepath.Join(filepath.Dir(file), name)
		if sameFile(to, from) {
			continue
		}
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return &config.Error{File: to, Err: fmt.Errorf("already exists, and a copy of %s would replace it", from), Hint: "move it away"}
		}
		if err := files.Copy(to, from); err != nil {
			return err
		}
	}
	return c.WriteNew(file, t)
}

// count returns a number with a noun, in the singular for 1.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// noteCard prints what the others will know about a member.
func (a *app) noteCard(c *config.Card) {
	a.note("member %s, peer ID %s", c.Member.Name, c.Member.ID)
	if len(c.Member.Addrs) == 0 {
		a.note("no address: this member must reach all others by itself; otherwise set announce in node.yaml")
		return
	}
	a.note("reached at %s", strings.Join(c.Member.Addrs, ", "))
}

func (a *app) consortiumJoin() *cobra.Command {
	var (
		card      cardFlags
		agreement string
	)
	cmd := &cobra.Command{
		Use: "join", Short: "Make the card by which a participant joins an agreement",
		Long: `join prints the card of the participant in --dir: its name, peer ID, addresses and columns, signed
by its key. Nothing in it is secret. Send it to the member that keeps the agreement, who adds it
with collabdict consortium invite. Tell that member the peer ID in another way, such as by phone.
Otherwise nobody notices before you sign that the whole card was replaced on its way.

If the agreement that node.yaml names exists, the rows must have its columns, and the card lists
no others.`,
		Example: "  collabdict consortium join --dir plant-b > plant-b.card",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			own, err := card.node()
			if err != nil {
				return err
			}
			file := own.Consortium
			if agreement != "" {
				file = agreement
			}
			var columns []string
			if _, err := os.Stat(file); agreement != "" || err == nil {
				agreed, err := config.ReadDraft(file)
				if err != nil {
					return err
				}
				columns = agreed.Columns
			}
			c, err := card.card(cmd.Context(), own, columns)
			if err != nil {
				return err
			}
			a.noteCard(c)
			if columns == nil {
				a.note("no agreement yet to compare the columns with: the card lists all %d", len(c.Columns))
			}
			_, err = a.out.Write(c.Text())
			return err
		},
	}
	card.add(cmd)
	cmd.Flags().StringVar(&agreement, "agreement", "", "`FILE` of the agreement (default the one that node.yaml names, if it exists)")
	return cmd
}
