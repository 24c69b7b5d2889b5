package e2e

import (
	"fmt"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

func TestPaneBesideTheScrollbar(t *testing.T) {
	// Ensure that the pane's edge does not lie under the page's scrollbar, whether that was there before or comes later.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>tall</title><style>::-webkit-scrollbar { width: 15px }</style><div id=tall></div>`})
	b := home.Open(t, url)
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	doc := pageAt(t, b, url+"/")
	for _, height := range []int{0, 9000} {
		eval[bool](doc, fmt.Sprintf(`(document.getElementById("tall").style.height = "%dpx", true)`, height))
		if bar := eval[int](doc, `innerWidth - document.documentElement.clientWidth`); (bar > 0) != (height > 0) {
			t.Fatalf("a page of %d px has a scrollbar of %d px", height, bar)
		}
		harness.Until(t, "the pane keeps its distance", func() bool {
			return eval[float64](doc, `document.documentElement.clientWidth - `+paneHost+`.getBoundingClientRect().right`) == 12
		})
	}
}
