package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// journal is a file with lines of JSON: a line that identifies the study, then one line per
// cell. Only complete lines count, so that a crash loses only the current cell.
type journal struct {
	f    *os.File
	done map[string]json.RawMessage
}

type identity struct {
	Experiment string `json:"experiment"`
	Version    int    `json:"version"`
	Quick      bool   `json:"quick"`
}

type cell struct {
	Cell  string          `json:"cell"`
	Value json.RawMessage `json:"value"`
}

func openJournal(path string, of identity) (*journal, error) {
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := raw[:bytes.LastIndexByte(raw, '\n')+1]
	j := &journal{done: map[string]json.RawMessage{}}
	first, lines, _ := bytes.Cut(whole, []byte("\n"))
	if len(whole) > 0 {
		if err := j.read(path, first, lines, of); err != nil {
			return nil, err
		}
	}
	if j.f, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return nil, err
	}
	if err := j.f.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	if _, err := j.f.Seek(int64(len(whole)), 0); err != nil {
		return nil, err
	}
	if len(whole) == 0 {
		return j, j.append(of)
	}
	return j, nil
}

func (j *journal) read(path string, first, lines []byte, of identity) error {
	var found identity
	if err := json.Unmarshal(first, &found); err != nil {
		return &Error{fmt.Sprintf("%s, line 1: this is no journal of an experiment: %v; take another folder", path, err)}
	}
	if found != of {
		return &Error{fmt.Sprintf("%s: want cells of %s, got those of %s; take another folder, or delete the file", path, of, found)}
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var c cell
		if err := json.Unmarshal(line, &c); err != nil {
			return &Error{fmt.Sprintf("%s, line %d: %v; delete the line", path, i+2, err)}
		}
		j.done[c.Cell] = c.Value
	}
	return nil
}

func (i identity) String() string {
	size := "whole"
	if i.Quick {
		size = "quick"
	}
	return fmt.Sprintf("the %s experiment %s, version %d", size, i.Experiment, i.Version)
}

func (j *journal) get(key string, v any) (bool, error) {
	raw, ok := j.done[key]
	if !ok {
		return false, nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return false, &Error{fmt.Sprintf("%s: cell %q: %v; delete its line", j.f.Name(), key, err)}
	}
	return true, nil
}

func (j *journal) put(key string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("cell %q: %w", key, err)
	}
	j.done[key] = raw
	return j.append(cell{key, raw})
}

func (j *journal) append(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := j.f.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.f.Sync()
}

func (j *journal) close() { _ = j.f.Close() }
