package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/export"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/option"
)

// exported describes a file written for other programs.
type exported struct {
	File     string         `json:"file"`               // its path
	To       string         `json:"to"`                 // its form
	Kind     string         `json:"kind"`               // the model
	Contents []export.Entry `json:"contents"`           // its parts
	Warnings []string       `json:"warnings,omitempty"` // lines of text
	Release  *released      `json:"release,omitempty"`  // a released model, with --release
}

func (a *app) export() *cobra.Command {
	var from, own, with string
	var e exported
	var r releaseFlags
	cmd := &cobra.Command{
		Use: "export [MODEL]", Short: "Write a model for other programs: as ONNX, NumPy arrays, JSON, or graphs",
		Long: `export writes a file for other programs, and lists its contents. No file contains names of
participants, their numbers of rows or the history of the training.

Of a mixture, every form has what all participants share; --with own adds the participant's own
weights, threshold and scaling. --to dot and --to svg draw the direct dependencies between
columns as graphs.

Of a network, --to onnx writes the participant's model as a graph for onnxruntime and others. The
graph takes rows in the units of the data, and has private conditions only with --own. --to npz
writes the part that all participants share.

With --release, export writes a mixture whose means are drawn from their posterior with random
numbers of the operating system: as JSON, or with --to npz or onnx. It prints how much that
reveals about a row, as epsilon for rows at most --radius apart, and what epsilon does not cover.
The file has the same statement. The release is first recorded in the ledger of the model's
folder. If the members have agreed on a limit, a release beyond it is refused.`,
		Args: orArgument("model"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.unused(cmd); err != nil {
				return err
			}
			forms, wanted := exportForms, option.Either(exportForms...)
			if r.on {
				forms, wanted = releaseForms, option.Either(releaseForms...)+" with --release"
				e.To = cmp.Or(e.To, "json")
			}
			switch {
			case r.on && with != withShared:
				return &flagError{"with", "a release contains nothing of a single participant", "leave it out"}
			case from == "":
				return &flagError{"model", "missing", "name a model.npz"}
			case !slices.Contains(forms, e.To):
				return &flagError{"to", fmt.Sprintf("want %s, got %q", wanted, e.To), ""}
			case r.on && own != "":
				return &flagError{"own", "a release contains nothing of a single participant", "leave it out"}
			case with != withShared && with != withOwn:
				return &flagError{"with", fmt.Sprintf("want %s or %s, got %q", withShared, withOwn, with), ""}
			case e.File == "":
				return &flagError{"output", "missing", "name the file to write"}
			case r.on:
				return a.release(from, r, &e)
			}
			var err error
			if from, err = modelIn(from); err != nil {
				return err
			}
			if err := another("output", e.File, from, own, ownBeside(from), localBeside(from)); err != nil {
				return err
			}
			m, err := model.ReadFile(from)
			if err != nil {
				return err
			}
			f, err := written(m, e.To, with, own, cmd.Flags().Changed("with"))
			switch {
			case is[*export.KindError](err):
				return &flagError{"model", fmt.Sprintf("%s: %s", from, err), "use --to onnx or --to npz"}
			case is[*export.UnknownRowsError](err):
				return &flagError{"model", fmt.Sprintf("%s: %s", from, err), "train again, or use --with own"}
			case err != nil:
				return err
			}
			if err := noteExport(participant.FolderOf(from), lineOf(m, e.File, f.Bytes)); err != nil {
				return err
			}
			if err := a.writeExport(&e, m.Manifest.Kind, f); err != nil {
				return err
			}
			return a.print(e, e.text)
		},
	}
	cmd.Flags().StringVar(&from, "model", "", "model `FILE`")
	cmd.Flags().StringVar(&e.To, "to", "", "`FORM` to write: onnx or npz; for mixtures also json, dot or svg; with --release json (default), npz or onnx")
	cmd.Flags().StringVarP(&e.File, "output", "o", "", "write to `FILE`")
	cmd.Flags().StringVar(&with, "with", withShared, "for mixtures: the `PART` to write, what all participants share (shared), or also the participant's own weights, threshold and scaling (own)")
	cmd.Flags().StringVar(&own, "own", "", "with --to onnx, for models with conditions: `FILE` of a participant's conditions, to include in the graph")
	r.add(cmd)
	a.addJSON(cmd)
	return cmd
}

// writeExport writes a file to the place that e names, and lists its contents in e.
func (a *app) writeExport(e *exported, kind string, f *export.File) error {
	mode := os.FileMode(0o644)
	if f.Private {
		mode = 0o600
	}
	if err := files.WriteBytes(e.File, mode, f.Bytes); err != nil {
		return err
	}
	e.Kind, e.Contents, e.Warnings = kind, f.Contents, f.Warnings
	for _, w := range e.Warnings {
		a.note("warning: %s", w)
	}
	return nil
}

// exportForms are the forms of a model file; all kinds of models have the first two.
var exportForms = []string{"onnx", "npz", "json", "dot", "svg"}

// The parts of a mixture that can be written.
const (
	withShared = "shared"
	withOwn    = "own"
)

// written returns a model in the given form.
func written(m *model.Model, to, with, own string, withSet bool) (*export.File, error) {
	if _, mixture := m.Learned.(algorithm.Dictionary); mixture {
		if own != "" {
			return nil, &flagError{"own", fmt.Sprintf("model %s has no conditions", m.Manifest.Kind), "for the participant's own weights, use --with own"}
		}
		x, err := export.MixtureOf(m, with == withOwn)
		if err != nil {
			return nil, err
		}
		return mixtureAs(x, to)
	}
	if withSet {
		return nil, &flagError{"with", fmt.Sprintf("model %s is not a mixture", m.Manifest.Kind), "leave it out"}
	}
	if err := giveOwn(m, to, own); err != nil {
		return nil, err
	}
	switch to {
	case "onnx":
		return export.ONNX(m)
	case "npz":
		return export.NPZ(m)
	}
	return nil, &export.KindError{Kind: m.Manifest.Kind, Form: to}
}

// mixtureAs returns a mixture in the given form.
func mixtureAs(x *export.Mixture, to string) (*export.File, error) {
	switch to {
	case "onnx":
		return x.ONNX()
	case "npz":
		return x.NPZ()
	case "json":
		return x.JSON()
	case "dot":
		return x.DOT()
	}
	svg, err := graphs(x).SVG()
	return x.Graphs(svg), err
}

// giveOwn gives a model the named own part, and does not look for one beside the model, since that
// would pass on private values without being asked to.
func giveOwn(m *model.Model, to, own string) error {
	switch {
	case own != "" && to == "npz":
		return &flagError{"own", "--to npz writes only what all participants share", "leave it out, or use --to onnx"}
	case own != "" && m.Personal() == nil:
		_, err := ownFile(m, "", own)
		return err
	case own != "":
		return m.ReadOwnFile(own)
	case to == "onnx" && !m.Complete():
		return &flagError{"own", "missing, but each participant scales columns by its own rows, and the graph needs one participant's scaling", "name its own.npz"}
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
	if e.Release != nil {
		e.Release.text(w)
	}
}
