package cli

import "testing"

// The printed address of a page names a host that a browser can open, and that a certificate is for.
func TestHostOfAPage(t *testing.T) {
	for _, c := range []struct {
		listen string
		names  []string
		want   string
	}{
		{"127.0.0.1", nil, "127.0.0.1"},
		{"::1", nil, "::1"},
		{"", nil, "localhost"},
		{"0.0.0.0", nil, "localhost"},
		{"::", []string{"*.plant.example"}, "localhost"},
		{"0.0.0.0", []string{"*.plant.example", "scores.plant.example"}, "scores.plant.example"},
		{"10.0.0.7", []string{"scores.plant.example"}, "scores.plant.example"},
		{"10.0.0.7", nil, "10.0.0.7"},
	} {
		if got := visited(c.listen, c.names); got != c.want {
			t.Errorf("listening on %s with a certificate for %q: got %s, want %s", c.listen, c.names, got, c.want)
		}
	}
}
