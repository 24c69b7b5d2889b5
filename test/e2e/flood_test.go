package e2e

import (
	"slices"
	"strconv"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

// flooding logs five thousand lines a second once its button was pressed, and
// shows how many.
const flooding = `<title>flood</title><button style="position:fixed;left:0;top:0;width:100px;height:40px" onclick="setInterval(() => {
	for (let i = 0; i < 100; i++) console.log('line ' + said++, {a: 1});
	document.getElementById('said').textContent = said;
}, 20)">x</button><p id=said>0</p><script>let said = 0</script>`

func TestFloodedConsole(t *testing.T) {
	// Ensure that of a recorded page that says five thousand lines a second a few go on to the host and the rest is counted or left out with a word, that calls in another tab are answered while it goes on, and that stop ends it.
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/flood": flooding, "/quiet": `<title>quiet</title>`})
	b := home.Open(t, url+"/flood", url+"/quiet")
	flood, quiet := []string{"--tab", strconv.Itoa(b.Tabs[0].TabID)}, []string{"--tab", strconv.Itoa(b.Tabs[1].TabID)}
	said := func() int {
		t.Helper()
		var out struct{ Text string }
		harness.Must(t, home.Call(t, "locator.text_content", `{"locator":{"selector":"#said"}}`, flood...), &out)
		n, err := strconv.Atoi(out.Text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if r := consoleOf(t, home, `{}`, flood...); !r.Started {
		t.Fatalf("the recording: %+v", r)
	}
	harness.Must(t, home.Call(t, "pointer.click", `{"x":50,"y":20}`, flood...), nil)
	const lines, calls = 20_000, 20
	harness.Until(t, "the page has said much", func() bool { return said() > lines })

	before := said()
	for range calls {
		harness.Must(t, home.Call(t, "page.info", `{}`, quiet...), nil)
	}
	harness.Until(t, "the page goes on", func() bool { return said() > before })
	last := consoleOf(t, home, `{"stop":true,"levels":["warning"]}`, flood...)
	all := said()
	if last.Recording || !slices.ContainsFunc(last.Entries, func(e entry) bool { return e.Source == "recording" }) {
		t.Errorf("recording: %t, and whether lines are missing is not said in %d entries", last.Recording, len(last.Entries))
	}
	// What came to the worker is numbered, dropped or not; how much that is depends on how busy the machine is.
	if last.Dropped == 0 || last.NextCursor >= all {
		t.Errorf("%d lines were dropped of %d that came; the page said %d", last.Dropped, last.NextCursor, all)
	}
	t.Logf("of %d lines %d came", all, last.NextCursor)
	if r := consoleOf(t, home, `{"stop":true}`, flood...); r.Recording || r.NextCursor != last.NextCursor {
		t.Errorf("after the stop %d lines came: %+v", r.NextCursor-last.NextCursor, r)
	}
}
