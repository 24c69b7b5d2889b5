package conformance

import (
	"encoding/json"
	"testing"
)

// Hand is a person at the browser: real input that no primitive made. A backend
// of the whole chain has one.
type Hand interface {
	// Drag presses at a point of the viewport, moves by dx and dy and lets go;
	// without a way it is a click.
	Drag(t *testing.T, x, y, dx, dy float64)
	// Reach moves the pointer to a point of the viewport until the element of our own page in a frame is below it:
	// the browser knows later than the page where a frame has been moved to.
	Reach(t *testing.T, page, element string, x, y float64)
	// Key presses and releases a key.
	Key(t *testing.T, key string)
}

// reportTemplate and reportData are files of the cases' storage folder.
const (
	reportTemplate = `<!doctype html><title>t</title><h1 id=h>?</h1><script>h.textContent = JSON.parse(document.querySelector("[data-actions-json-overlay-data]").textContent).name</script>`
	reportData     = `{"name":"</script><b>Tea"}`
)

// hand clicks like a person at the point that an expression in the page gives.
func (p *Page) hand(js string) {
	p.Helper()
	p.drag(js, 0, 0)
}

func (p *Page) drag(js string, dx, dy float64) {
	p.Helper()
	// The browser finds what is under the mouse by the last frame it has drawn.
	p.eval(drawn)
	var raw json.RawMessage
	p.backend.Eval(p.T, js, &raw)
	var point struct{ X, Y float64 }
	if err := json.Unmarshal(raw, &point); err != nil {
		p.Fatal(err)
	}
	p.person().Drag(p.T, point.X, point.Y, dx, dy)
}

func (p *Page) keys(key string) {
	p.Helper()
	p.person().Key(p.T, key)
}

func (p *Page) person() Hand {
	p.Helper()
	hand, ok := p.backend.(Hand)
	if !ok {
		p.Fatal("this backend has no person")
	}
	return hand
}
