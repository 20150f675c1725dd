package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/engine"
)

// bucket serves a bucket with the files of a folder, and returns its address. fault may answer a request
// in its place.
func bucket(t *testing.T, dir string, fault func(w http.ResponseWriter, r *http.Request) bool) (address, query string) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("plant"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := backend.PutObject("plant", "rows/"+filepath.Base(file), nil, strings.NewReader(string(text)), int64(len(text)), nil); err != nil {
			t.Fatal(err)
		}
	}
	real := gofakes3.New(backend).Server()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault == nil || !fault(w, r) {
			real.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret-of-the-test", "AWS_REGION": "eu-central-1", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	return "s3://plant/", "?endpoint=" + s.URL + "&use_path_style=true&disable_https=true&region=eu-central-1"
}

// loadFrom reads the rows of a bucket by an engine that keeps its copy there, too.
func loadFrom(t *testing.T, address, query string, flags ...string) (*dataset.Dataset, error) {
	t.Helper()
	return engine.Load(t.Context(), append([]string{program, "--temp", address + "tmp" + query}, flags...), dataset.Spec{Data: []string{address + "rows/" + query}, Name: "rows"})
}

// Objects of a bucket give the model of the same files here, though the server is often too busy or cuts
// a connection.
func TestABucket(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, 3, 300)
	here, err := dataset.LoadOne(dataset.Spec{Data: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	want := trained(t, here)
	var requests, faults atomic.Int64
	address, query := bucket(t, dir, func(w http.ResponseWriter, r *http.Request) bool {
		switch n := requests.Add(1); {
		case n%61 == 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		case n%47 == 0:
			w.WriteHeader(http.StatusTooManyRequests)
		case n%101 == 0:
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = c.Close()
			}
		default:
			return false
		}
		faults.Add(1)
		return true
	})
	far, err := loadFrom(t, address, query, "--split-kb", "2")
	if err != nil {
		t.Fatal(err)
	}
	if got := trained(t, far); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	t.Logf("%d of %d requests failed", faults.Load(), requests.Load())
}

// Without the rights, the error names the object and what to do, and no credential.
func TestNoRights(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, 1, 10)
	address, query := bucket(t, dir, func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>no</Message></Error>`))
		return true
	})
	_, err := loadFrom(t, address, query)
	if err == nil || !strings.Contains(err.Error(), "s3://plant/rows/") || strings.Contains(err.Error(), "secret-of-the-test") {
		t.Errorf("got %v", err)
	}
}

// An object that changes while it is read is named.
func TestAnObjectChanges(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, 1, 10)
	var heads atomic.Int64
	address, query := bucket(t, dir, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodHead && strings.HasSuffix(r.URL.Path, ".csv") && heads.Add(1) > 1 {
			w.Header().Set("Content-Length", "7")
			w.Header().Set("ETag", `"another"`)
			w.WriteHeader(http.StatusOK)
			return true
		}
		return false
	})
	_, err := loadFrom(t, address, query)
	if err == nil || !strings.Contains(err.Error(), "s3://plant/rows/day-00.csv has changed") {
		t.Errorf("got %v", err)
	}
}

// If the node ends while a worker copies rows, nothing of them is left: not at the worker, not at the engine, and
// not in the folder of the values.
func TestNothingIsLeft(t *testing.T) {
	for _, where := range []string{"engine", "pool"} {
		t.Run(where, func(t *testing.T) {
			dir, temp, local := t.TempDir(), t.TempDir(), t.TempDir()
			plant(t, dir, 1, 10)
			t.Setenv("TMPDIR", local)
			reading, over := make(chan struct{}, 10), make(chan struct{})
			address, query := bucket(t, dir, func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, ".csv") {
					return false
				}
				reading <- struct{}{}
				select {
				case <-r.Context().Done():
				case <-over:
				}
				return true
			})
			defer close(over)
			flags := []string{program, "--temp", "file://" + temp}
			if where == "pool" {
				at, _ := startPool(t)
				flags = append(flags, "--environment_type", "EXTERNAL", "--environment_config", at)
			}
			ctx, end := context.WithCancel(t.Context())
			loaded := make(chan error)
			go func() {
				_, err := engine.Load(ctx, flags, dataset.Spec{Data: []string{address + "rows/" + query}, Columns: []string{"temp", "flow", "power"}, Name: "rows"})
				loaded <- err
			}()
			select {
			case <-reading:
			case err := <-loaded:
				t.Fatal(err)
			}
			if left(t, local) == 0 {
				t.Error("no copy is made in this folder, so it shows nothing")
			}
			end()
			if err := <-loaded; err == nil {
				t.Error("no error")
			}
			limit := time.After(time.Minute)
			for left(t, local)+left(t, temp) > 0 {
				select {
				case <-limit:
					t.Fatalf("%d entries are left", left(t, local)+left(t, temp))
				case <-time.After(10 * time.Millisecond):
				}
			}
		})
	}
}

// left returns the number of copies in a folder.
func left(t *testing.T, dir string) int {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "collabdict-beam-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	others, err := filepath.Glob(filepath.Join(dir, "collabdict-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all) + len(others)
}

// A pass that fails ends in one line, which has what the worker said.
func TestAFailedPass(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, 2, 10)
	if err := os.WriteFile(filepath.Join(dir, "day-01.csv"), []byte("temp,flow,power\n1,2,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"engine", "pool"} {
		flags := []string{program, "--temp", "file://" + t.TempDir()}
		if where == "pool" {
			at, _ := startPool(t)
			flags = append(flags, "--environment_type", "EXTERNAL", "--environment_config", at)
		}
		_, err := engine.Load(t.Context(), flags, dataset.Spec{Data: []string{"file://" + dir + "/"}, Name: "rows"})
		if failed, ok := errors.AsType[*engine.Error](err); !ok || strings.Contains(failed.Reason, "\n") || !strings.Contains(failed.Reason, "day-01.csv") || !strings.Contains(failed.Reason, `"x"`) {
			t.Errorf("%s: got %v", where, err)
		}
	}
}
