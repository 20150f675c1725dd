// Package studytest writes files in the formats that studies read, for their tests.
package studytest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// WriteZipped writes a compressed file, and creates its folders.
func WriteZipped(t *testing.T, path string, content []byte) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(content)
	if err := errors.Join(err, z.Close(), os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// WriteIDX writes a compressed IDX file of bytes of this shape.
func WriteIDX(t *testing.T, path string, values []byte, shape ...int) {
	t.Helper()
	content := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		content = binary.BigEndian.AppendUint32(content, uint32(n))
	}
	WriteZipped(t, path, append(content, values...))
}
