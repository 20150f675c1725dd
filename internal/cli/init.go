package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/node"
)

// agreementFile is the name of the agreement in a new participant's folder.
const agreementFile = "consortium.yaml"

// initialised is the folder that init has made.
type initialised struct {
	Columns []string `json:"columns"` // features of the participant's rows
	Dir     string   `json:"dir"`     // the folder
	ID      string   `json:"id"`      // peer ID of its key
	Name    string   `json:"name"`    // name that the others see
}

func (a *app) init() *cobra.Command {
	var (
		name   string
		rows   dataFlags
		listen []string
	)
	cmd := &cobra.Command{
		Use: "init DIR", Short: "Make the folder of a participant: its key, and its settings with comments",
		Long: `init makes the folder of a participant with two files: identity.key, by which the others know the
participant, and node.yaml, with a comment on each setting. It reads the columns of the rows, and
prints what to do next. It never replaces a file.`,
		Example: "  collabdict init plant-a --data plant-a.csv --label fault",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := filepath.Clean(args[0])
			spec, err := rows.spec()
			if err != nil {
				return err
			}
			if name == "" {
				name = filepath.Base(dir)
			}
			if err := dataset.CheckName(name); err != nil {
				return &flagError{"name", err.Error(), ""}
			}
			if _, err := os.Lstat(filepath.Join(dir, config.NodeFile)); err == nil {
				return &config.Error{File: filepath.Join(dir, config.NodeFile), Err: errors.New("already exists"), Hint: "choose another folder, or change that file"}
			}
			if err := forward(cmd.Context(), &spec); err != nil {
				return err
			}
			columns, _, err := dataset.Features(spec)
			if err != nil {
				return err
			}
			own, err := rows.node(dir)
			if err != nil {
				return err
			}
			if own.Listen, err = listenOn(listen); err != nil {
				return err
			}
			own.Name = name
			_, fault := os.Stat(dir)
			id, err := node.Identity(dir)
			if err != nil {
				return err
			}
			if err := own.WriteNew(dir); err != nil {
				return err
			}
			result := initialised{columns, dir, id.String(), name}
			return a.print(result, func(w io.Writer) {
				what := "has"
				if fault != nil {
					what = "now has"
				}
				fmt.Fprintf(w, "%s %s %s and identity.key, which is secret; the peer ID is %s\n", dir, what, config.NodeFile, id)
				fmt.Fprintf(w, "columns: %s\n", strings.Join(columns, ", "))
				fmt.Fprintf(w, "next: read %s and the advice of collabdict check --dir %s, then\n", filepath.Join(dir, config.NodeFile), dir)
				fmt.Fprintf(w, "  to start a consortium:  collabdict consortium new %s --dir %s\n", filepath.Join(dir, agreementFile), dir)
				fmt.Fprintf(w, "  to join one:            save its agreement as %s, then collabdict consortium join --dir %s > %s.card\n", filepath.Join(dir, agreementFile), dir, name)
			})
		},
	}
	rows.add(cmd)
	cmd.Flags().StringVar(&name, "name", "", "`NAME` that the others see (default the folder's)")
	cmd.Flags().StringSliceVar(&listen, "listen", nil, "`ADDRESS` to listen on (default /ip4/0.0.0.0/tcp/4001 and /ip4/0.0.0.0/udp/4001/quic-v1)")
	a.addJSON(cmd)
	return cmd
}

// listenOn returns the addresses that a new participant listens on.
func listenOn(given []string) ([]string, error) {
	if len(given) == 0 {
		return []string{"/ip4/0.0.0.0/tcp/4001", "/ip4/0.0.0.0/udp/4001/quic-v1"}, nil
	}
	if _, err := node.ReachedAt(given); err != nil {
		return nil, &usageError{fmt.Errorf("--%w", err), ""}
	}
	return given, nil
}

// node returns the settings of a participant with these rows. Paths are relative to its folder.
func (d *dataFlags) node(dir string) (*config.Node, error) {
	n := &config.Node{
		Version: config.Version, Consortium: agreementFile, Label: d.label, Anomaly: d.anomaly, Where: d.where, TestWhere: d.testWhere,
		TimeColumn: d.timeColumn, Ignore: d.ignore,
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, path := range d.data {
		if path == "-" {
			n.Data = append(n.Data, path)
			continue
		}
		to, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if relative, err := filepath.Rel(from, to); err == nil {
			to = relative
		}
		n.Data = append(n.Data, to)
	}
	return n, nil
}
