// Command outsider is a program other than collabdict that is a member of a consortium. It
// joins processes of `collabdict run`, learns a mixture by the default algorithm together with them,
// and saves the same model. It uses exported packages only.
//
//	collabdict consortium secret our.secret
//	collabdict run --name a --data a.csv --expect 3 --secret-file our.secret --standardise none --components 2
//	collabdict run --name b --data b.csv --expect 3 --secret-file our.secret --standardise none --components 2
//	outsider -name c -data c.csv -expect 3 -secret-file our.secret -peer ADDRESS
package main

import (
	"context"
	cryptorand "crypto/rand"
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/command"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/node"
	"github.com/collabdict/collabdict/option"
)

const seed = 1 // --seed of the others

// sums are the default settings, which the others use.
var sums = consensus.Settings{Protect: chunking.Chunks}

func main() {
	name := flag.String("name", "", "name that the others see, and folder of this member")
	data := flag.String("data", "", "CSV file with a header and numbers")
	expect := flag.Int("expect", 3, "number of members")
	secret := flag.String("secret-file", "", "file with the secret of the members")
	peer := flag.String("peer", "", "address of a member")
	flag.Parse()
	node.QuietLibraries()
	if err := run(context.Background(), *name, *data, *expect, *secret, *peer); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, name, data string, expect int, secretFile, peer string) error {
	columns, rows, err := read(data)
	if err != nil {
		return err
	}
	kind := command.Kinds()[0]
	settings := kind.New()
	options := settings.Options()
	for name, value := range map[string]string{"components": "2", "lambda": "0.1"} {
		if err := options.Set(name, value); err != nil {
			return err
		}
	}
	if err := options.Complete(); err != nil {
		return err
	}
	if err := settings.Prepare(algorithm.Coordinates{ScaledBy: algorithm.Own}); err != nil {
		return err
	}
	secret, err := node.ReadSecret(secretFile)
	if err != nil {
		return err
	}
	n, err := node.Join(ctx, node.Config{
		Name: name, Dir: name, Expect: expect, Secret: secret, Peers: []string{peer},
		Listen:    []string{"/ip4/127.0.0.1/tcp/0"},
		Agreement: agreement(kind.Name, options, columns),
		Settings:  sums,
	})
	if err != nil {
		return err
	}
	defer n.Close()
	shift, scale := ownScaling(rows)
	scaled := mat.NewDense(rows.RawMatrix().Rows, len(columns), nil)
	scaled.Apply(func(_, j int, v float64) float64 { return (v - shift[j]) / scale[j] }, rows)
	learned, err := train(ctx, n, scaled, settings)
	if err != nil {
		n.Abort("its training has failed")
		return err
	}
	fmt.Printf("last total %x\n", n.Status().LastDigest)
	if err := n.Finish(ctx); err != nil {
		return err
	}
	m, err := model.New(kind.Name, options, columns, learned)
	if err != nil {
		return err
	}
	m.Manifest.Standardise, m.Scaling.Shift, m.Scaling.Scale = algorithm.Own, shift, scale
	scores, err := m.ScoreRows(gmm.Matrix(rows))
	if err != nil {
		return err
	}
	slices.Sort(scores)
	m.Manifest.Participant, m.Manifest.Threshold = name, scores[len(scores)*99/100]
	return model.Save(name, m)
}

// agreement returns the settings and columns that collabdict run agrees on: the options of the
// algorithm, then these fields, in this order:
//
//   - seed, false-alarm, standardise: as the flags
//   - pca, window: as the flags; absent without them. With a window, columns are those of the data,
//     without means and deviations
//   - normalise: as the flag
//   - ranges: agreed ranges, or ""
//   - number of columns, column 1, column 2, ...: features in the order of the file, without --label
//     and --ignore
//   - unit of COLUMN: its agreed unit; absent without one
func agreement(kind string, options option.Table, columns []string) node.Agreement {
	a := node.Agreement{{Name: "model", Value: kind}}
	for _, f := range options.Fields() {
		a = append(a, node.Field(f))
	}
	a = append(a,
		node.Field{Name: "seed", Value: strconv.Itoa(seed)},
		node.Field{Name: "false-alarm", Value: "0.01"},
		node.Field{Name: "standardise", Value: algorithm.Own},
		node.Field{Name: "normalise", Value: "standard"},
		node.Field{Name: "ranges", Value: ""},
		node.Field{Name: "number of columns", Value: strconv.Itoa(len(columns))})
	for i, c := range columns {
		a = append(a, node.Field{Name: fmt.Sprintf("column %d", i+1), Value: c})
	}
	return a
}

// train takes part in all rounds, and returns the model that all members then have.
func train(ctx context.Context, g collabdict.Group, rows *mat.Dense, settings algorithm.Algorithm) (algorithm.Model, error) {
	var secret [32]byte // source of the noise; a program that resumes runs keeps it
	if _, err := cryptorand.Read(secret[:]); err != nil {
		return nil, err
	}
	rules := sums.Rules(g.Membership().Size)
	data := algorithm.Data{Rows: gmm.Matrix(rows), Seed: seed, Source: rand.NewChaCha8(secret), Quorum: rules.Quorum, Colluders: rules.Colluders}
	out, err := settings.Learn(ctx, g, data, func(algorithm.Progress) {})
	if err != nil {
		return nil, err
	}
	fmt.Printf("%d rounds, objective %g\n", out.Last.Number, out.Last.Objective)
	return out.Model, nil
}

// ownScaling returns the mean and the standard deviation of each column, as --standardise own has
// them. The blur of ggm needs columns of one spread.
func ownScaling(rows *mat.Dense) (shift, scale []float64) {
	n, columns := rows.Dims()
	shift, scale = make([]float64, columns), make([]float64, columns)
	for j := range columns {
		for i := range n {
			shift[j] += rows.At(i, j) / float64(n)
		}
		for i := range n {
			d := rows.At(i, j) - shift[j]
			scale[j] += d * d / float64(n)
		}
		scale[j] = math.Sqrt(scale[j])
	}
	return shift, scale
}

func read(path string) (columns []string, rows *mat.Dense, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	if len(lines) < 2 {
		return nil, nil, fmt.Errorf("%s: want a header and rows", path)
	}
	rows = mat.NewDense(len(lines)-1, len(lines[0]), nil)
	for i, line := range lines[1:] {
		for j, text := range line {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: row %d: %w", path, i+1, err)
			}
			rows.Set(i, j, v)
		}
	}
	return lines[0], rows, nil
}
