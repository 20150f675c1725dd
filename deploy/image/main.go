// Command image writes the base of the container image: a folder /data for a participant and
// /tmp, both owned by a user without rights, and no shell. It writes the files as an OCI layout
// into ko's cache, so that ko needs no registry. It prints the reference of the base.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/collabdict/collabdict/internal/files"
)

// user is the ID of the user that runs the processes. The user has no name in the image and no
// rights.
const user = 65532

var platforms = []string{"amd64", "arm64"}

// descriptor identifies a blob, in the format of OCI images.
type descriptor struct {
	MediaType string            `json:"mediaType"`
	Digest    string            `json:"digest"`
	Size      int               `json:"size"`
	Platform  map[string]string `json:"platform,omitempty"`
}

const prefix = "application/vnd.oci.image."

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "error: want ko's cache folder as the only argument")
		os.Exit(2)
	}
	ref, err := write(filepath.Join(os.Args[1], "img"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println(ref)
}

// write writes the layout, and returns the reference of the base in it.
func write(dir string) (ref string, err error) {
	put := func(kind string, content []byte) descriptor {
		sum := sha256.Sum256(content)
		d := descriptor{MediaType: prefix + kind, Digest: "sha256:" + hex.EncodeToString(sum[:]), Size: len(content)}
		if err == nil {
			err = files.WriteBytes(filepath.Join(dir, "blobs", "sha256", hex.EncodeToString(sum[:])), 0o644, content)
		}
		return d
	}
	encode := func(v any) []byte {
		b, failed := json.Marshal(v)
		if failed != nil {
			panic("image: " + failed.Error())
		}
		return b
	}
	content, err := folders()
	if err != nil {
		return "", err
	}
	plain := sha256.Sum256(content)
	layer := put("layer.v1.tar+gzip", compressed(content))
	var images []descriptor
	for _, p := range platforms {
		config := put("config.v1+json", encode(map[string]any{
			"architecture": p, "os": "linux",
			"config": map[string]any{"User": fmt.Sprintf("%d:%[1]d", user), "WorkingDir": "/data"},
			"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(plain[:])}},
		}))
		image := put("manifest.v1+json", encode(map[string]any{"schemaVersion": 2, "mediaType": prefix + "manifest.v1+json", "config": config, "layers": []descriptor{layer}}))
		image.Platform = map[string]string{"architecture": p, "os": "linux"}
		images = append(images, image)
	}
	all := put("index.v1+json", encode(map[string]any{"schemaVersion": 2, "mediaType": prefix + "index.v1+json", "manifests": images}))
	if err == nil {
		err = files.WriteBytes(filepath.Join(dir, "index.json"), 0o644, encode(map[string]any{"schemaVersion": 2, "mediaType": prefix + "index.v1+json", "manifests": append(images, all)}))
	}
	if err == nil {
		err = files.WriteBytes(filepath.Join(dir, "oci-layout"), 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`))
	}
	return "base.collabdict.invalid/none@" + all.Digest, err
}

func compressed(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(content)
	if err = errors.Join(err, z.Close()); err != nil {
		panic("image: " + err.Error()) // a buffer does not fail
	}
	return b.Bytes()
}

// folders returns the only layer, with the two folders.
func folders() ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range []tar.Header{{Name: "data/", Mode: 0o700}, {Name: "tmp/", Mode: 0o700}} {
		f.Typeflag, f.Uid, f.Gid, f.ModTime = tar.TypeDir, user, user, time.Unix(0, 0)
		if err := w.WriteHeader(&f); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
