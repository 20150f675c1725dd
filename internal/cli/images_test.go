package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// writeImages writes n images of 4 by 4 pixels in three classes, and their labels, in files named
// like those of MNIST.
func writeImages(ts *testscript.TestScript, name, number string, zip bool) {
	n, err := strconv.Atoi(number)
	ts.Check(err)
	images, labels := []byte{0, 0, 8, 3}, []byte{0, 0, 8, 1}
	for _, size := range []int{n, 4, 4} {
		images = binary.BigEndian.AppendUint32(images, uint32(size))
	}
	labels = binary.BigEndian.AppendUint32(labels, uint32(n))
	noise := uint32(1)
	for i := range n {
		class := byte(i % 3)
		for j := range 16 {
			noise = noise*1664525 + 1013904223
			images = append(images, byte(noise>>27)+40*class*byte(j%3))
		}
		labels = append(labels, class)
	}
	for suffix, content := range map[string][]byte{"-images-idx3-ubyte": images, "-labels-idx1-ubyte": labels} {
		if zip {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, err := w.Write(content)
			ts.Check(err)
			ts.Check(w.Close())
			suffix, content = suffix+".gz", b.Bytes()
		}
		ts.Check(os.WriteFile(ts.MkAbs(name+suffix), content, 0o600))
	}
}
