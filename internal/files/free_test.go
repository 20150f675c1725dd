package files

import "testing"

func TestFree(t *testing.T) {
	if free, err := Free(t.TempDir()); err != nil || free == 0 {
		t.Error(free, err)
	}
	if _, err := Free("no such folder"); err == nil {
		t.Error("free space of a folder that is not there")
	}
}
