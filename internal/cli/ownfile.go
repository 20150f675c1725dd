package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/model"
)

// addOwn adds the flag --own of commands that use a model.
func addOwn(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "own", "", "for models with conditions: `FILE` of the participant's conditions (default own.npz beside the model, if it exists)")
}

// ownBeside returns the default path of the participant's own part.
func ownBeside(modelFile string) string {
	return filepath.Join(filepath.Dir(modelFile), model.OwnFile)
}

// ownFile returns the file of the participant's own part: the one named, or the one beside the
// model; "" if there is none.
func ownFile(m *model.Model, modelFile, named string) (string, error) {
	if m.Personal() == nil {
		if named != "" {
			return "", &flagError{"own", fmt.Sprintf("model %s has no conditions", m.Manifest.Kind), "leave it out"}
		}
		return "", nil
	}
	if named == "" {
		beside := ownBeside(modelFile)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	return named, nil
}

// completeOwn gives a model the participant's own part, if it has any.
func (a *app) completeOwn(m *model.Model, modelFile, named string) error {
	own, err := ownFile(m, modelFile, named)
	switch {
	case err != nil:
		return err
	case own != "":
		return m.ReadOwnFile(own)
	case !m.Complete():
		return &model.Error{
			File: modelFile, Msg: "want the private part of a participant, which has the scaling of its columns, got no " + model.OwnFile + " beside it",
			Hint: "name one with --own, or make one with collabdict adapt",
		}
	case m.Personal() != nil && m.Classifier() == nil:
		m.Manifest.Threshold = math.NaN() // the file's threshold is for its owner's conditions
		a.note("no %s beside the model: conditions are 0, and there is no threshold", model.OwnFile)
	case m.Personal() != nil:
		a.note("no %s beside the model: conditions are 0", model.OwnFile)
	}
	return nil
}

// ownPart describes a participant's own part.
type ownPart struct {
	File        string `json:"file"`        // its path
	Participant string `json:"participant"` // its name
	// Rows are rows it was fitted to; 0 for the mean of all participants' conditions.
	Rows       int     `json:"rows"`
	Conditions int     `json:"conditions"`       // their number
	RMS        float64 `json:"root_mean_square"` // that of the conditions
}

// describeOwn returns the description of the own part for inspect, nil if there is none.
func describeOwn(m *model.Model, modelFile, named string) (*ownPart, error) {
	file, err := ownFile(m, modelFile, named)
	if err != nil || file == "" {
		return nil, err
	}
	if err := m.ReadOwnFile(file); err != nil {
		return nil, err
	}
	conditions, squares := m.Conditions(), 0.0
	for _, v := range conditions {
		squares += float64(v) * float64(v)
	}
	return &ownPart{file, m.Manifest.Participant, m.Manifest.Rows, len(conditions), math.Sqrt(squares / float64(len(conditions)))}, nil
}

func (o *ownPart) String() string {
	from := "fitted to " + count(o.Rows, "row")
	if o.Rows == 0 {
		from = "the mean of all participants'"
	}
	return fmt.Sprintf("%s of %s: %s, %s, root mean square %.3g", o.File, o.Participant, count(o.Conditions, "condition"), from, o.RMS)
}
