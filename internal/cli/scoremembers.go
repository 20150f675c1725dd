package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// scoredMember is the model of a member, and the files with its name.
type scoredMember struct {
	name, model string
	files       []string
}

// members returns the members in a folder of several, with their files. It returns nil if the model is a
// file, or in the folder itself.
func (s *scoredFlags) members() ([]scoredMember, error) {
	if s.model == "" {
		return nil, nil
	}
	if _, err := os.Stat(filepath.Join(s.model, model.File)); err == nil {
		return nil, nil
	}
	models, err := filepath.Glob(filepath.Join(s.model, "*", model.File))
	if err != nil || len(models) == 0 {
		return nil, nil //nolint:nilerr // reading the model reports the error
	}
	paths, err := dataset.Resolve(s.data)
	if err != nil {
		return nil, err
	}
	all := make([]scoredMember, len(models))
	var names []string
	for i, path := range models {
		all[i] = scoredMember{name: filepath.Base(filepath.Dir(path)), model: path}
		names = append(names, all[i].name)
	}
	for _, path := range paths {
		of, _, _ := strings.Cut(filepath.Base(path), ".")
		at := slices.IndexFunc(all, func(m scoredMember) bool { return strings.EqualFold(m.name, of) })
		if at < 0 {
			return nil, &flagError{"model", fmt.Sprintf("%s has the name of no member in %s, which are %s", path, s.model, listed(names)), "name the folder of a member, such as " + filepath.Dir(models[0])}
		}
		all[at].files = append(all[at].files, path)
	}
	all = slices.DeleteFunc(all, func(m scoredMember) bool { return len(m.files) == 0 })
	return all, nil
}

// scoredEvents are what score found.
type scoredEvents struct {
	scoring.Events
	Participants []memberEvents `json:"participants,omitempty"` // of a folder of members: what was found for each, in the order of names; the numbers above are sums, and the events are here
}

// memberEvents are the events of a member.
type memberEvents struct {
	Participant string `json:"participant"` // the member
	scoring.Events
}

// scoreMembers scores the files of several members, and prints their events.
func (a *app) scoreMembers(ctx context.Context, s *scoreFlags, members []scoredMember) error {
	if s.state != "" {
		return &flagError{"state", "one file cannot hold the series of several members", "score the members one by one"}
	}
	if s.explain != "" && s.out == "" {
		return &flagError{"explain", "the lines of several members go to a folder, and only events are printed", "add -o FOLDER"}
	}
	all := scoredEvents{Events: scoring.Events{Events: []scoring.Event{}}}
	var texts []func(io.Writer)
	for _, m := range members {
		of := *s
		of.model, of.data, of.events = m.model, m.files, true
		if s.out != "" {
			if err := os.MkdirAll(s.out, 0o700); err != nil {
				return err
			}
			of.out = filepath.Join(s.out, m.name+".csv")
		}
		if s.plots != "" {
			of.plots = filepath.Join(s.plots, m.name)
		}
		found, err := a.scoreRows(ctx, &of)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		all.Rows, all.NotScored = all.Rows+found.Rows, all.NotScored+found.NotScored
		all.Anomalies, all.LeftOut = all.Anomalies+found.Anomalies, all.LeftOut+found.LeftOut
		all.Participants = append(all.Participants, memberEvents{m.name, found.Events})
		texts = append(texts, found.text)
	}
	return a.print(all, func(w io.Writer) { textOfMembers(w, members, texts) })
}

// textOfMembers prints a text for each member.
func textOfMembers(w io.Writer, members []scoredMember, texts []func(io.Writer)) {
	for i, text := range texts {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: ", members[i].name)
		text(w)
	}
}
