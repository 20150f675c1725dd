package report

import (
	"path/filepath"
	"strings"
)

// End is the end of one participant's run.
type End struct {
	Run *Run  // result of this participant alone; nil if none
	Err error // nil if it ended as planned
}

// Combine merges the results of participants that each know only their own, and returns the
// errors of those that did not end as planned. Paths of model files begin with the
// participant's name. The result is nil if no participant has one.
func Combine(names []string, ends []End) (*Run, []error) {
	var failed []error
	all := common(ends)
	n := int64(len(names))
	for i, end := range ends {
		if end.Err != nil {
			failed = append(failed, end.Err)
		}
		if end.Run == nil {
			continue
		}
		p := end.Run.Participants[0]
		p.ModelFile = filepath.Join(names[i], p.ModelFile)
		if end.Err != nil {
			p.Left, p.Digest = end.Err.Error(), ""
		}
		all.Participants = append(all.Participants, p)
		all.BytesSent += end.Run.BytesSent / n
		all.Messages += end.Run.Messages / n
		all.Consensus.Error = max(all.Consensus.Error, end.Run.Consensus.Error)
	}
	if all != nil {
		all.Warnings = warnings(names, ends)
		all.Loglik = overRows(all.Participants)
		all.Aggregate()
	}
	return all, failed
}

// common returns one participant's account of the run, preferably of one that has seen its end.
func common(ends []End) *Run {
	var all *Run
	for _, end := range ends {
		if end.Run == nil || all != nil && end.Err != nil {
			continue
		}
		first := *end.Run
		first.Participants, first.Warnings, first.BytesSent, first.Messages = nil, nil, 0, 0
		if all = &first; end.Err == nil {
			break
		}
	}
	return all
}

// warnings returns the participants' warnings, each text once: with the names of the
// participants that give it, or without names if all with a result do.
func warnings(names []string, ends []End) (list []string) {
	by := map[string][]string{}
	var texts []string
	results := 0
	for i, end := range ends {
		if end.Run == nil {
			continue
		}
		results++
		for _, w := range end.Run.Warnings {
			if by[w] == nil {
				texts = append(texts, w)
			}
			by[w] = append(by[w], names[i])
		}
	}
	for _, w := range texts {
		if len(by[w]) == results && results > 1 {
			list = append(list, w)
		} else {
			list = append(list, strings.Join(by[w], ", ")+": "+w)
		}
	}
	return list
}

// overRows returns the mean log-likelihood per row over all rows, each under its owner's model,
// if the models have likelihoods.
func overRows(parts []Participant) Figure {
	var sum, rows float64
	applies := false
	for _, p := range parts {
		sum += float64(p.Rows) * p.Loglik.Value
		rows += float64(p.Rows)
		applies = applies || p.Loglik.Applies
	}
	if !applies {
		return Figure{}
	}
	return Of(sum / rows)
}
