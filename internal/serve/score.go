package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/scoring"
)

const (
	// mostBatch bounds the bytes of a batch, which is held in memory.
	mostBatch = 32 << 20
	// mostHeld bounds the bytes of lines and of CSV that are read before they are answered, and mostInMemory
	// those that are not put on the disk meanwhile.
	mostHeld     = 1 << 30
	mostInMemory = 1 << 20
	// mostName bounds the bytes of the name of a source.
	mostName = 200
)

// Row is a scored row.
type Row struct {
	Row     int               `json:"row" doc:"Number of the row: of its source, or of the request without a source, from 1"`
	Time    string            `json:"time,omitempty" doc:"Its time as it was sent"`
	Carried map[string]string `json:"carried,omitempty" doc:"Its other cells that are no features"`
	// Score is absent for a row without any number.
	Score   *float64        `json:"score,omitempty" doc:"Anomaly score in nats; absent if the row has no number at all"`
	Anomaly *bool           `json:"anomaly,omitempty" doc:"Whether the score is above the threshold; absent without a score or a threshold"`
	Enough  bool            `json:"enough" doc:"Whether the score rests on at least half of the sensors, and with a model of windows on a full window"`
	Missing []string        `json:"missing,omitempty" doc:"Sensors without a number in this row"`
	Outside []string        `json:"outside,omitempty" doc:"Sensors far outside the rows that the model was trained on"`
	Sensors []scoring.Cause `json:"sensors,omitempty" doc:"Sensors that explain the score, the guilty ones first"`
}

// Scored is the answer to a batch of rows.
type Scored struct {
	Model     string   `json:"model" doc:"SHA-256 of the model's file"`
	Trained   string   `json:"trained" doc:"When the model's file was written, in RFC 3339"`
	Threshold *float64 `json:"threshold,omitempty" doc:"Score above which a row is an anomaly, unless that rolls"`
	Rows      []Row    `json:"rows"`
	Warnings  []string `json:"warnings,omitempty" doc:"What is unusual about the rows"`
}

// scoreInput is a request for scores. Its body is read while it is answered.
type scoreInput struct {
	Source  string `query:"source" maxLength:"200" doc:"Name of the series that the rows continue, such as a machine. Without one, windows begin anew"`
	Explain string `query:"explain" enum:"none,anomalies,all" default:"anomalies" doc:"Rows that are explained"`
	Top     int    `query:"top" minimum:"0" maximum:"10000" default:"3" doc:"Sensors per explained row, 0 for all"`
	Accept  string `header:"Accept" doc:"Form of the answer, if it is to be another than that of the request: application/x-ndjson or text/csv for rows in any form"`
	Kind    string `header:"Content-Type" doc:"application/json for one object or an array of objects, application/x-ndjson for a stream of objects, text/csv for CSV with a header"`
}

func (s *Server) addScore(api huma.API) {
	schemas := api.OpenAPI().Components.Schemas
	row := schemas.Schema(reflect.TypeFor[map[string]any](), false, "")
	text := &huma.Schema{Type: huma.TypeString}
	op := huma.Operation{
		OperationID: "score", Method: http.MethodPost, Path: "/v1/score", Summary: "Score rows",
		Description:   "Scores one row, a batch or a stream. The answer has the form of the request, unless Accept names another. A stream is answered line by line as it arrives; if it fails, its last line has the field or the cell error.",
		DefaultStatus: http.StatusOK,
		Responses: map[string]*huma.Response{"200": {
			Description: "Scores, in the order of the rows",
			Headers: map[string]*huma.Param{
				modelHeader: {Schema: text, Description: "SHA-256 of the model's file"},
				dateHeader:  {Schema: text, Description: "When that was written"},
			},
			Content: map[string]*huma.MediaType{
				"application/json":     {Schema: schemas.Schema(reflect.TypeFor[Scored](), true, "")},
				"application/x-ndjson": {Schema: schemas.Schema(reflect.TypeFor[Row](), true, "")},
				"text/csv":             {Schema: text},
			},
		}},
		Errors: []int{400, 401, 403, 408, 409, 413, 415, 422, 429},
	}
	huma.Register(api, op, func(_ context.Context, in *scoreInput) (*huma.StreamResponse, error) {
		kind, _, err := mime.ParseMediaType(in.Kind)
		if err != nil || !slices.Contains([]string{"application/json", "application/x-ndjson", "text/csv"}, kind) {
			return nil, huma.Error415UnsupportedMediaType(fmt.Sprintf("want application/json, application/x-ndjson or text/csv, got %q", in.Kind))
		}
		if !utf8.ValidString(in.Source) { // neither the series on disk nor the metrics could name it
			return nil, huma.Error422UnprocessableEntity(fmt.Sprintf("source: want UTF-8, got %q: send another name", in.Source))
		}
		select {
		case s.room <- struct{}{}:
		default:
			return nil, huma.ErrorWithHeaders(huma.Error429TooManyRequests("too many requests at a time: send this one again later"), http.Header{"Retry-After": {"1"}})
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			defer func() { <-s.room }()
			r, w := humago.Unwrap(ctx)
			a := &answer{server: s, in: in, kind: kind, form: in.form(kind), w: w, control: http.NewResponseController(w)}
			a.give(r, api, ctx)
		}}, nil
	})
	// It is described after it is registered, as it would be read whole otherwise.
	api.OpenAPI().Paths[op.Path].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json":     {Schema: &huma.Schema{OneOf: []*huma.Schema{row, {Type: huma.TypeArray, Items: row}}}},
		"application/x-ndjson": {Schema: text},
		"text/csv":             {Schema: text},
	}}
}

const (
	modelHeader = "Collabdict-Model"
	dateHeader  = "Collabdict-Trained"
)

// form returns the form of the answer to a request of a kind. A batch in JSON is held in memory, so that is
// the answer to such a batch alone.
func (in *scoreInput) form(kind string) string {
	if in.Accept == "application/x-ndjson" || in.Accept == "text/csv" {
		return in.Accept
	}
	return kind
}

// answer is one request for scores while it is answered.
type answer struct {
	server  *Server
	loaded  *Loaded
	in      *scoreInput
	kind    string // of the request
	form    string // of the answer
	w       http.ResponseWriter
	control *http.ResponseController

	begun     bool   // the answer has begun
	release   func() // of the body's place on the disk
	explainer *scoring.Explainer
	places    *scoring.Places
	batch     Scored
	csv       *csv.Writer
	json      *json.Encoder
	warnings  []string
}

// give answers the request, with an error if that occurs before any score.
func (a *answer) give(r *http.Request, api huma.API, ctx huma.Context) {
	err := a.score(r)
	if bad, ok := errors.AsType[*dataset.Error](err); ok && bad.File != "" { // rows of a request are in no file
		bad.File = "body"
	}
	switch {
	case err == nil:
	case !a.begun:
		code := codeOf(err)
		_ = huma.WriteErr(api, ctx, code, err.Error())
	case a.csv != nil:
		_ = a.csv.Write([]string{"error", err.Error()})
		a.csv.Flush()
	default:
		_ = a.json.Encode(map[string]string{"error": err.Error()})
	}
}

// codeOf returns the status for an error: that of the client's, unless the server's disk or model failed.
func codeOf(err error) int {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout
	case errors.As(err, new(*busyError)):
		return http.StatusConflict
	case errors.As(err, new(*dataset.Error)), errors.Is(err, errBody):
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}

// errBody reports that a body is no JSON of rows.
var errBody = errors.New("want a JSON object, or an array of objects, one per row")

func (a *answer) score(r *http.Request) error {
	s := a.server
	of, release, err := s.take(a.in.Source)
	if err != nil {
		return err
	}
	defer release()
	a.loaded = of.loaded
	body, err := a.body(r)
	if a.release != nil {
		defer a.release()
	}
	if err != nil {
		return err
	}
	a.explainer = of.Finder.Explainer
	spec := a.loaded.Spec
	spec.Data, spec.Series = []string{"-"}, &of.Series.Series
	spec.Tell = func(line string) { a.warnings = append(a.warnings, line) }
	if err := spec.Forward(r.Context(), body, func() <-chan time.Time { return s.config.After(200 * time.Millisecond) }); err != nil {
		return err
	}
	gaps, err := of.Scorer.Each(spec, func(carried []string) error {
		a.places = scoring.NewPlaces(carried, spec.Time)
		a.places.Clock.DayFirst = spec.CSV.DayFirst
		of.Finder.Places = a.places
		return nil
	}, func(rows *scoring.Rows) error {
		a.places.See(rows.Block)
		why, err := a.explainer.Rows(rows, func(i int) bool {
			return !rows.Empty[i] && (a.in.Explain == "all" || a.in.Explain == "anomalies" && rows.Verdicts[i] == scoring.Anomalous)
		})
		if err != nil {
			return err
		}
		if a.in.Source != "" { // without one, nobody hears of events
			if err := of.Finder.Add(rows); err != nil {
				return err
			}
		}
		of.count(rows, a.loaded.Model.DataColumns(), why)
		if err := of.keep(); err != nil {
			return err
		}
		return a.write(rows, why)
	})
	if err != nil {
		return err
	}
	return a.end(&gaps)
}

// body returns the rows of the request, as lines.
func (a *answer) body(r *http.Request) (io.Reader, error) {
	if a.kind != "application/json" {
		var slow io.Reader = &slowReader{r.Body, func() error { return a.control.SetReadDeadline(a.server.config.Now().Add(a.server.config.Idle)) }}
		if r.ContentLength >= 0 {
			var err error
			if slow, err = a.held(slow, r.ContentLength); err != nil {
				return nil, err
			}
		}
		if a.kind != "text/csv" {
			lines := bufio.NewReader(slow)
			first, err := firstLine(lines)
			if err != nil {
				return nil, err
			}
			slow = io.MultiReader(bytes.NewReader(a.whole(first)), lines)
		}
		// A client may read answers while it sends rows without end.
		if err := a.control.EnableFullDuplex(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return nil, err
		}
		return slow, nil
	}
	text, err := io.ReadAll(http.MaxBytesReader(a.w, r.Body, mostBatch))
	if err != nil {
		return nil, err
	}
	var rows []json.RawMessage
	switch trimmed := bytes.TrimSpace(text); {
	case len(trimmed) > 0 && trimmed[0] == '{':
		rows = []json.RawMessage{trimmed}
	default:
		if err := json.Unmarshal(text, &rows); err != nil {
			return nil, fmt.Errorf("%w: %w", errBody, err)
		}
	}
	var lines bytes.Buffer
	for i, row := range rows {
		if i == 0 {
			row = a.whole(row)
		}
		if err := json.Compact(&lines, row); err != nil {
			return nil, fmt.Errorf("%w: row %d: %w", errBody, i+1, err)
		}
		lines.WriteByte('\n')
	}
	return &lines, nil
}

// held reads a body of a size whole, since many clients, browsers among them, read no answer before they have
// sent all. A large one is on the disk meanwhile.
func (a *answer) held(from io.Reader, size int64) (io.Reader, error) {
	if size > mostHeld {
		return nil, fmt.Errorf("%w: want a body of at most %d bytes, got %d: send it as a stream, without Content-Length, or in parts", &http.MaxBytesError{Limit: mostHeld}, mostHeld, size)
	}
	if size <= mostInMemory {
		text, err := io.ReadAll(from)
		return bytes.NewReader(text), err
	}
	f, err := os.CreateTemp(a.server.config.Folder, "rows-*")
	if err != nil {
		return nil, err
	}
	removed := os.Remove(f.Name()) == nil // except on Windows, where it is open
	a.release = func() {
		_ = f.Close()
		if !removed {
			_ = os.Remove(f.Name())
		}
	}
	if _, err := io.Copy(f, from); err != nil {
		return nil, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}

// firstLine reads a line, which is held in memory.
func firstLine(from *bufio.Reader) (line []byte, err error) {
	for len(line) <= mostBatch {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil || errors.Is(err, io.EOF):
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
	return nil, &http.MaxBytesError{Limit: mostBatch}
}

// whole returns the first of JSON objects with a null for each of the model's columns that it lacks: rows may
// come without a sensor. Other text is returned as it is.
func (a *answer) whole(first []byte) []byte {
	var object map[string]json.RawMessage
	if json.Unmarshal(first, &object) != nil || len(object) == 0 {
		return first
	}
	names := map[string]string{} // of the model's columns, in the rows
	for from, to := range a.loaded.Spec.Rename {
		names[to] = from
	}
	end := bytes.LastIndexByte(first, '}')
	out := slices.Clone(first[:end])
	for _, column := range a.loaded.Spec.Columns {
		name := column
		if from, renamed := names[column]; renamed {
			name = from
		}
		if _, ok := object[name]; !ok {
			key, _ := json.Marshal(name) // text always has a form
			out = append(append(append(out, ','), key...), ":null"...)
		}
	}
	return append(out, first[end:]...)
}

// slowReader sets a deadline before each read.
type slowReader struct {
	of     io.Reader
	extend func() error
}

func (s *slowReader) Read(p []byte) (int, error) {
	if err := s.extend(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return s.of.Read(p)
}

// begin begins the answer.
func (a *answer) begin() {
	if a.begun {
		return
	}
	a.begun = true
	a.extend()
	h := a.w.Header()
	h.Set("Content-Type", a.form)
	h.Set(modelHeader, a.loaded.Digest)
	h.Set(dateHeader, a.loaded.Written.UTC().Format(time.RFC3339))
	if a.form == "text/csv" {
		a.csv = csv.NewWriter(a.w)
		_ = a.csv.Write(append(a.head(), "score", "anomaly", "enough", "missing", "outside", "sensors")) // flushing reports the error
	} else {
		a.json = json.NewEncoder(a.w)
	}
}

// head returns the names of the cells before the score.
func (a *answer) head() []string { return append([]string{"row"}, a.places.Names...) }

// write writes the scores of a block.
func (a *answer) write(r *scoring.Rows, why *scoring.Explained) error {
	a.extend() // rows may have been long in coming
	var told []Row
	for i := range r.Scores {
		row := a.row(r, i, why)
		if a.in.Source != "" {
			told = append(told, row)
		}
		switch a.form {
		case "application/json":
			a.batch.Rows = append(a.batch.Rows, row)
			continue
		case "text/csv":
			a.begin()
			_ = a.csv.Write(row.cells(r.Carried[i])) // flushing reports the error
		default:
			a.begin()
			if err := a.json.Encode(row); err != nil {
				return err
			}
		}
	}
	a.tellScores(told)
	if a.form == "application/json" {
		return nil
	}
	return a.flush()
}

// extend gives the client time to read. A connection without deadlines never runs out of it.
func (a *answer) extend() {
	_ = a.control.SetWriteDeadline(a.server.config.Now().Add(a.server.config.Idle))
}

// flush sends what is written. A client that does not read ends its request.
func (a *answer) flush() error {
	if a.csv != nil {
		a.csv.Flush()
		if err := a.csv.Error(); err != nil {
			return err
		}
	}
	if err := a.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// end ends the answer.
func (a *answer) end(gaps *dataset.Gaps) error {
	a.begin()
	if a.form != "application/json" {
		return a.flush()
	}
	a.batch.Model, a.batch.Trained = a.loaded.Digest, a.w.Header().Get(dateHeader)
	a.batch.Threshold = a.loaded.fixed()
	if a.batch.Rows == nil {
		a.batch.Rows = []Row{}
	}
	if text := gaps.Oddities(); text != "" {
		a.warnings = append(a.warnings, text)
	}
	a.batch.Warnings = a.warnings
	return a.json.Encode(a.batch)
}

// row returns row i of a block.
func (a *answer) row(r *scoring.Rows, i int, why *scoring.Explained) Row {
	row := Row{Row: r.Numbers[i], Time: a.places.TimeOf(r.Block, i)}
	for j, cell := range r.Carried[i] {
		if j != a.places.Time && j != a.places.Hours {
			if row.Carried == nil {
				row.Carried = map[string]string{}
			}
			row.Carried[a.places.Names[j]] = cell
		}
	}
	names, cells := a.loaded.Model.DataColumns(), r.X.RawRowView(i)
	full := true
	for j, v := range cells {
		switch {
		case j < len(names) && math.IsNaN(v):
			row.Missing = append(row.Missing, names[j])
		case math.IsNaN(v):
			full = false
		}
	}
	row.Outside = a.explainer.Outside(r, i)
	row.Enough = full && 2*len(row.Missing) <= len(names)
	if r.Empty[i] {
		row.Enough = false
		return row
	}
	score := math.Min(r.Scores[i], math.MaxFloat64) // JSON has no infinity
	row.Score = &score
	if r.Verdicts[i] != scoring.Unknown {
		is := r.Verdicts[i] == scoring.Anomalous
		row.Anomaly = &is
	}
	row.Sensors = why.Causes(i, a.in.Top)
	return row
}

// cells returns a row as the cells of a CSV file.
func (row *Row) cells(carried []string) []string {
	line := append([]string{strconv.Itoa(row.Row)}, carried...)
	score, anomaly := "", ""
	if row.Score != nil {
		score = strconv.FormatFloat(*row.Score, 'g', 8, 64)
	}
	if row.Anomaly != nil {
		anomaly = map[bool]string{true: "1", false: "0"}[*row.Anomaly]
	}
	var sensors []string
	for _, c := range row.Sensors {
		sensors = append(sensors, c.Sensor)
	}
	return append(line, score, anomaly, strconv.FormatBool(row.Enough), strings.Join(row.Missing, " "), strings.Join(row.Outside, " "), strings.Join(sensors, " "))
}
