package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

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
