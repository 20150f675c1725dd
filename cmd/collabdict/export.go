package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/atomicfile"
	"github.com/collabdict/collabdict/internal/export"
	"github.com/collabdict/collabdict/model"
)

// exported says what a file that was written for others holds.
type exported struct {
	File     string         `json:"file"`
	To       string         `json:"to"`
	Kind     string         `json:"kind"`
	Contents []export.Entry `json:"contents"`
	Warnings []string       `json:"warnings,omitempty"`
}

func (a *app) export() *cobra.Command {
	var from, own string
	var e exported
	cmd := &cobra.Command{
		Use: "export", Short: "Write a trained network for other programs: as ONNX, or its shared part as NumPy arrays",
		Long: `export writes a file for other programs, and lists its contents. With --to onnx, it is the
participant's model as a graph for onnxruntime and others. The graph takes rows in the units
of the data, and contains private conditions only with --own. With --to npz, it is the part
that all participants share. Neither file contains names of participants, numbers of rows or
the history of the training.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			makers := map[string]func(*model.Model) (*export.File, error){"onnx": export.ONNX, "npz": export.NPZ}
			switch {
			case from == "":
				return &usageError{"--model is missing", "name a model.npz"}
			case makers[e.To] == nil:
				return &usageError{fmt.Sprintf("--to: want onnx or npz, got %q", e.To), ""}
			case e.File == "":
				return &usageError{"--output is missing", "name the file to write"}
			}
			if err := another(e.File, from, own, ownBeside(from), localBeside(from)); err != nil {
				return err
			}
			m, err := model.ReadFile(from)
			if err != nil {
				return err
			}
			if err := giveOwn(m, e.To, own); err != nil {
				return err
			}
			f, err := makers[e.To](m)
			var kind *export.KindError
			if errors.As(err, &kind) {
				return &usageError{fmt.Sprintf("--model %s: %s", from, err), ""}
			}
			if err != nil {
				return err
			}
			mode := os.FileMode(0o644)
			if f.Private {
				mode = 0o600
			}
			err = atomicfile.Write(e.File, mode, func(w io.Writer) error {
				_, err := w.Write(f.Bytes)
				return err
			})
			if err != nil {
				return err
			}
			e.Kind, e.Contents, e.Warnings = m.Manifest.Kind, f.Contents, f.Warnings
			for _, w := range e.Warnings {
				a.note("warning: %s", w)
			}
			return a.print(e, e.text)
		},
	}
	cmd.Flags().StringVar(&from, "model", "", "model `FILE`")
	cmd.Flags().StringVar(&e.To, "to", "", "`FORM` to write: onnx or npz")
	cmd.Flags().StringVarP(&e.File, "output", "o", "", "write to `FILE`")
	cmd.Flags().StringVar(&own, "own", "", "with --to onnx, for models with conditions: `FILE` of a participant's own conditions, to be put into the graph")
	a.addJSON(cmd)
	return cmd
}

// giveOwn gives a model the own part that is named. None is looked for beside the model:
// that would be to hand on what nobody has asked for.
func giveOwn(m *model.Model, to, own string) error {
	switch {
	case own != "" && to == "npz":
		return &usageError{"--own: --to npz writes only what all participants share", "leave it out, or use --to onnx"}
	case own != "" && m.Personal() == nil:
		_, err := ownFile(m, "", own)
		return err
	case own != "":
		return m.ReadOwnFile(own)
	case to == "onnx" && !m.Complete():
		return &usageError{"--own is missing: each participant scales columns by its own rows, so the graph needs the scaling of one of them", "name its own.npz"}
	}
	return nil
}

func (e exported) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s of %s, with these parts\n", e.File, e.To, e.Kind)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, part := range e.Contents {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", part.Name, part.Of, part.What)
	}
	t.Flush()
}
