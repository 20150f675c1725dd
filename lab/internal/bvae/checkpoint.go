package bvae

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/vae"
)

// checkpoint is a run after a round. It is an .npz file, with each matrix of the model under
// its name and the rest as JSON. The last one remains as the model of the run.
type checkpoint struct {
	Run     string          `json:"run"` // identity of the run with all its inputs; a checkpoint of another run is not resumed
	Losses  []beta.Loss     `json:"losses"`
	Members []beta.Standing `json:"members"`

	values []float32
}

const inCheckpoint = "run.json"

func (c *checkpoint) write(path string, shapes []vae.Shape) error {
	about, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return files.Write(path, 0o644, func(w io.Writer) error {
		z := npz.NewWriter(w)
		if err := z.File(inCheckpoint, about); err != nil {
			return err
		}
		p := vae.Parameters{Values: c.values, Shapes: shapes}
		p.Matrices(func(s vae.Shape, values []float32) {
			a := npz.Array[float64]{Shape: []int{s.Rows, s.Columns}, Data: make([]float64, len(values))}
			for i, v := range values {
				a.Data[i] = float64(v)
			}
			err = errors.Join(err, npz.Put(z, s.Name, a))
		})
		return errors.Join(err, z.Close())
	})
}

// readCheckpoint returns nil if there is no checkpoint of this run.
func readCheckpoint(path, run string, shapes []vae.Shape) (*checkpoint, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	c, err := decodeCheckpoint(f, info.Size(), shapes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; delete the file, and the run begins anew", path, err)
	}
	if c.Run != run {
		return nil, nil
	}
	return c, nil
}

func decodeCheckpoint(r io.ReaderAt, size int64, shapes []vae.Shape) (*checkpoint, error) {
	z, err := npz.Open(r, size)
	if err != nil {
		return nil, err
	}
	about, err := z.File(inCheckpoint)
	if err != nil {
		return nil, err
	}
	c := &checkpoint{}
	if err := json.Unmarshal(about, c); err != nil {
		return nil, fmt.Errorf("%s: %w", inCheckpoint, err)
	}
	for _, s := range shapes {
		a, err := npz.Get[float64](z, s.Name)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(a.Shape, []int{s.Rows, s.Columns}) {
			return nil, fmt.Errorf("%s: want %d by %d values, got shape %v", s.Name, s.Rows, s.Columns, a.Shape)
		}
		for _, v := range a.Data {
			c.values = append(c.values, float32(v))
		}
	}
	return c, nil
}
