package topology

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
)

// Dimensions of a drawing: a square with a line of text below.
const (
	side   = 900
	middle = side / 2
	circle = 400 // radius of the circle of vertices
)

// Draw writes the graph as SVG, with vertices on a circle, clockwise from the top. Vertices
// without a member of their own are hollow, and doubled edges are thicker. It returns an error
// for a schedule.
func (t *Topology) Draw(w io.Writer) error {
	p, ok := t.plan.(*session.Laplacian)
	if !ok {
		return fmt.Errorf("%s has no graph to draw: its rounds connect different members", t.Kind)
	}
	g := p.Graph()
	b := bufio.NewWriter(w)
	title := t.caption()
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="Helvetica, Arial, sans-serif" role="img" aria-label="%s">`+"\n", side, side+40, title)
	fmt.Fprintln(b, `<rect width="100%" height="100%" fill="#ffffff"/>`)
	drawEdges(b, g)
	drawVertices(b, g)
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="18" text-anchor="middle" fill="#102a43">%s</text>`+"\n</svg>\n", middle, side+20, title)
	return b.Flush()
}

func (t *Topology) caption() string {
	vertices := ""
	if t.Vertices > 0 {
		vertices = fmt.Sprintf(" on %d vertices", t.Vertices)
	}
	return fmt.Sprintf("%s: %d members%s, degree %d, diameter %d, λ₂ %.3f", t.Kind, t.Size, vertices, t.Degree, t.Diameter, t.Lambda2)
}

// at returns the position of a vertex, at a share of the circle's radius.
func at(g *graph.Graph, v int, share float64) (x, y float64) {
	sin, cos := math.Sincos(2 * math.Pi * float64(v) / float64(g.Len()))
	return middle + share*circle*sin, middle - share*circle*cos
}

// drawEdges draws the edges, thinner if there are many.
func drawEdges(w io.Writer, g *graph.Graph) {
	ends := 0
	for v := range g.Len() {
		ends += len(g.Neighbours(v))
	}
	thickness := min(2, max(0.15, 35/math.Sqrt(float64(ends))))
	fmt.Fprintln(w, `<g stroke="#5b7fa6" stroke-opacity="0.7">`)
	for v := range g.Len() {
		for i, u := range g.Neighbours(v) {
			if u < v {
				continue
			}
			x1, y1 := at(g, v, 1)
			x2, y2 := at(g, u, 1)
			fmt.Fprintf(w, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke-width="%.2f"/>`+"\n", x1, y1, x2, y2, thickness*g.Weights(v)[i])
		}
	}
	fmt.Fprintln(w, `</g>`)
}

// numbered is the largest number of vertices that are drawn with their numbers.
const numbered = 64

func drawVertices(w io.Writer, g *graph.Graph) {
	radius := min(9, max(1, 0.35*2*math.Pi*circle/float64(g.Len())))
	for v := range g.Len() {
		x, y := at(g, v, 1)
		fill := "#1f4e8c"
		if v >= g.Members() {
			fill = "#ffffff"
		}
		fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" stroke="#1f4e8c"/>`+"\n", x, y, radius, fill)
		if g.Len() <= numbered {
			x, y := at(g, v, 1.06)
			fmt.Fprintf(w, `<text x="%.1f" y="%.1f" font-size="16" text-anchor="middle" fill="#102a43">%d</text>`+"\n", x, y+5, v)
		}
	}
}
