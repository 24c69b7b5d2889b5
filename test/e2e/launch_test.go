package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// posting is a page that posts all the time, in the ways a page can, until its
// server says that it is enough; then it tells how many posts failed.
const posting = `<!doctype html><title>posting</title><script>
	const under = [];
	let failed = 0, enough = false;
	const post = (how) => fetch("/post", {method: "POST", body: "x", ...how}).then((r) => r.text()).then((text) => enough ||= text === "enough", () => failed++);
	(function go() {
		if (enough) return Promise.all(under).then(() => post({body: "failed " + failed}));
		under.push(post({}), post({keepalive: true}));
		setTimeout(go, 10);
	})();
</script>`

// servePosting serves the posting page. The page goes on until enough, asked at
// each post, says so; what it then tells of its failed posts is sent to told.
func servePosting(t *testing.T, enough func(posts int32) bool) (url string, told <-chan string) {
	t.Helper()
	var posts atomic.Int32
	failed := make(chan string, 1)
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/post" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, posting)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // cut; the page tells
		}
		if text, ok := strings.CutPrefix(string(body), "failed "); ok {
			failed <- text
		}
		if enough(posts.Add(1)) {
			fmt.Fprint(w, "enough")
		}
	})), failed
}

func wantNoneFailed(t *testing.T, told <-chan string) {
	t.Helper()
	select {
	case failed := <-told:
		if failed != "0" {
			t.Errorf("%s posts failed", failed)
		}
	case <-time.After(harness.Patience):
		t.Fatal("some posts are under way for ever")
	}
}

func TestLaunchNamesTheReason(t *testing.T) {
	// Ensure that launch names the reason for which the host refuses its browser.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"alow_code":true}`)
	harness.TakeTurn(t)
	r := home.Run(t, "launch", "--headless", "about:blank")
	if r.Exit == 0 || !strings.Contains(r.Stderr, "settings.json are not valid") || strings.Contains(r.Stderr, "ended before") {
		t.Errorf("%+v", r)
	}
}

func TestLaunchEndsWithItsTerminal(t *testing.T) {
	// Ensure that launch removes the browser's profile when its terminal is closed.
	t.Parallel()
	address, _ := pages(t, map[string]string{"/": "<title>p</title>"})
	l := harness.NewHome(t).Launch(t, address)
	if err := l.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	<-l.Done()
	if _, err := os.Stat(l.UserDataDir); !os.IsNotExist(err) {
		t.Errorf("the profile in %s is left: %v", l.UserDataDir, err)
	}
}

func TestLaunchCutsNoRequest(t *testing.T) {
	// Ensure that a page loses no request to the extension's coming, neither while the browser starts nor afterwards, also none that may outlive the page.
	t.Parallel()
	home := harness.NewHome(t)
	var after atomic.Int32
	url, told := servePosting(t, func(int32) bool {
		// The host listens once the extension has been loaded.
		found, err := os.ReadDir(home.Sockets())
		return err == nil && len(found) > 0 && after.Add(1) > 40
	})
	home.Open(t, url)
	wantNoneFailed(t, told)
}

func TestReloadCutsNoRequest(t *testing.T) {
	// Ensure that a page in a user's browser loses no request while the extension is loaded anew.
	t.Parallel()
	home := harness.NewHome(t)
	begun, reloaded := make(chan struct{}), make(chan struct{})
	var after atomic.Int32
	url, told := servePosting(t, func(posts int32) bool {
		if posts == 40 {
			close(begun)
		}
		select {
		case <-reloaded:
			return after.Add(1) > 200
		default:
			return false
		}
	})
	b := home.Open(t, url)
	<-begun
	for range 3 {
		reloadExtension(t, b)
	}
	close(reloaded)
	wantNoneFailed(t, told)
}

func TestLaunchedBrowserSendsNothingHome(t *testing.T) {
	// Ensure that a launched browser asks no other server than the page's own, by its own network log, also while a form with names, a password and a card is filled in and sent.
	t.Parallel()
	home := harness.NewHome(t)
	address, rec := pages(t, map[string]string{
		"/": `<title>form</title><p>Bonjour tout le monde, cette page est écrite dans une autre langue.<form method=post action=/order>
			<input aria-label=Name name=name autocomplete=name><input aria-label=Mail name=email type=email>
			<input aria-label=Password name=password type=password><input aria-label=Street name=street autocomplete=street-address>
			<input aria-label=Card name=card autocomplete=cc-number><button>Send</button></form>`,
		"/order": `<title>received</title>`,
	})
	log := filepath.Join(t.TempDir(), "net.json")
	b := home.OpenWith(t, nil, []string{"--log-net-log=" + log, "--net-log-capture-mode=Everything"}, address)
	for field, text := range map[string]string{"Name": "Ada", "Mail": "ada@example.org", "Password": "secret", "Street": "1 Rue", "Card": "4111111111111111"} {
		harness.Must(t, home.Call(t, "locator.fill", fmt.Sprintf(`{"locator":{"label":%q},"text":%q}`, field, text)), nil)
	}
	harness.Must(t, home.Call(t, "locator.click", `{"locator":{"role":"button","name":"Send"}}`), nil)
	harness.Until(t, "the form arrives", func() bool { return len(received(rec, "POST", "/order")) == 1 })
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	asked := serversIn(t, log)
	if !slices.Contains(asked, strings.TrimPrefix(address, "http://")) {
		t.Fatalf("the network log tells of %q only", asked)
	}
	for _, server := range asked {
		host, _, err := net.SplitHostPort(server)
		if err != nil || host != "localhost" && !net.ParseIP(host).IsLoopback() {
			t.Errorf("the browser asked %s", server)
		}
	}
}

// serversIn returns the servers that the browser asked, or whose address it
// wanted to know, by its network log.
func serversIn(t *testing.T, log string) []string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Constants struct {
			LogEventTypes map[string]int `json:"logEventTypes"`
		} `json:"constants"`
		Events []struct {
			Type   int             `json:"type"`
			Params json.RawMessage `json:"params"`
		} `json:"events"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	var servers []string
	for _, e := range said.Events {
		var params struct{ URL, Host, Address string }
		if json.Unmarshal(e.Params, &params) != nil {
			continue // of another kind
		}
		switch e.Type {
		case said.Constants.LogEventTypes["URL_REQUEST_START_JOB"], said.Constants.LogEventTypes["HOST_RESOLVER_MANAGER_JOB"]:
			u, err := url.Parse(params.URL + params.Host)
			if err == nil && u.Host != "" && !strings.HasPrefix(u.Scheme, "chrome") {
				servers = append(servers, u.Host)
			}
		case said.Constants.LogEventTypes["TCP_CONNECT_ATTEMPT"]:
			if params.Address != "" { // it stands where an attempt begins, not where it ends
				servers = append(servers, params.Address)
			}
		}
	}
	slices.Sort(servers)
	return slices.Compact(servers)
}

func TestBrowserThatCrashes(t *testing.T) {
	// Ensure that when a launched browser ends by itself, its last words are in what the caller is told.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title>`})
	b := home.Open(t, url)
	_, err := cdp.Call(t.Context(), b.Session(), browser.Crash, cdp.Empty{})
	if f := fault.From(err); err == nil || f.Code != fault.BrowserNotConnected || !strings.Contains(f.Message, "it said: ") {
		t.Errorf("the caller is told %v", err)
	}
}

func TestLaunchOfPagesThatNeverLoad(t *testing.T) {
	// Ensure that several pages which never finish to load are all opened and claimed within the browser's start.
	t.Parallel()
	home := harness.NewHome(t)
	ended := make(chan struct{})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			select {
			case <-ended:
			case <-r.Context().Done():
			}
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>t</title><img src="/endless">`)
	}))
	t.Cleanup(func() { close(ended) })
	b := home.OpenWith(t, nil, nil, url+"/1", url+"/2", url+"/3", url+"/4")
	if n := len(slices.DeleteFunc(b.Tabs, func(tab launch.Tab) bool { return !tab.Claimed })); n != 4 {
		t.Errorf("%d claimed tabs, want 4", n)
	}
}
