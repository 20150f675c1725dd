package launch

import "testing"

// Ports differ, and are none that the system gives to who asks for any.
func TestFreePorts(t *testing.T) {
	ports, err := freePorts(50)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, p := range ports {
		if p < leastPort || p > mostPort || seen[p] {
			t.Errorf("got the ports %v", ports)
		}
		seen[p] = true
	}
	if len(ports) != 50 {
		t.Errorf("got %d ports", len(ports))
	}
}
