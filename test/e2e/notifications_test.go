package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// notice is a notification that the extension shows.
type notice struct {
	ID, Title, Message, More string
	Buttons                  int
}

// noticing records in the worker what notifications it makes.
func noticing(t *testing.T, b *launch.Browser) document {
	t.Helper()
	worker := attach(t, b, workerTarget(t, b))
	eval[bool](worker, `(() => {
		globalThis.made = [];
		const create = chrome.notifications.create.bind(chrome.notifications);
		chrome.notifications.create = (id, o) => (made.push({ID: id, Title: o.title, Message: o.message, More: o.contextMessage ?? "", Buttons: o.buttons.length}), create(id, o));
		return true;
	})()`)
	return worker
}

func TestNotificationAsksAndAnswers(t *testing.T) {
	// Ensure that a question is shown by the system one at a time, in words and with Allow once and Deny, that a button answers the question it belongs to, that one pressed at once does not count, and that ten questions make no heap of notifications.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title><button>Buy</button>` + strings.Repeat(`<button>More</button>`, 10)})
	b := home.OpenNotifying(t, true, nil, url)
	worker := noticing(t, b)
	site := strings.TrimSuffix(url, "/")
	click := func(n int) string { return fmt.Sprintf(`{"locator":{"selector":"button:nth-of-type(%d)"}}`, n) }
	shown := func() []notice { return eval[[]notice](worker, `made`) }
	press := func(id string, button int) {
		t.Helper()
		eval[bool](worker, fmt.Sprintf(`(chrome.notifications.onButtonClicked.dispatch(%q, %d), true)`, id, button))
	}

	wantCode(t, home.Call(t, "locator.click", click(1)), fault.NeedsApproval)
	harness.Until(t, "the question is shown", func() bool { return len(shown()) == 1 })
	first := shown()[0]
	if first.Title != "Press “Buy” on "+site+"?" || !strings.Contains(first.Message, "Asked by: Terminal") || first.Buttons != 2 {
		t.Errorf("it shows %+v", first)
	}
	harness.Until(t, "the button allows it", func() bool {
		press(first.ID, 0)
		return home.Call(t, "locator.click", click(1)).OK
	})
	for i := range 10 {
		wantCode(t, home.Call(t, "locator.click", click(i+2)), fault.NeedsApproval)
	}
	harness.Until(t, "the badge counts", func() bool {
		return eval[string](worker, `chrome.action.getBadgeText({})`) == "10"
	})
	open := eval[[]string](worker, `new Promise(done => chrome.notifications.getAll(all => done(Object.keys(all))))`)
	if len(open) > 1 {
		t.Errorf("%d notifications at once", len(open))
	}
	all := shown()
	last := all[len(all)-1]
	press("approval:nonsense", 0)
	press(last.ID, 7)
	harness.Until(t, "the button denies it", func() bool {
		press(last.ID, 1)
		e := home.Call(t, "locator.click", click(2))
		return !e.OK && e.Error.Code == fault.PermissionDenied
	})
}

func TestNotificationsWithoutPermission(t *testing.T) {
	// Ensure that without the permission a question waits as before, with the number on the red badge, and that the options page offers to ask for it.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title><button>Buy</button>`})
	b := home.Open(t, url)
	options := ownPage(t, b, optionsURL)
	wantCode(t, home.Call(t, "locator.click", `{"locator":{"selector":"button"}}`), fault.NeedsApproval)
	harness.Until(t, "the badge counts in red", func() bool {
		return eval[string](options, `(async () => (await chrome.action.getBadgeText({})) + " " + (await chrome.action.getBadgeBackgroundColor({})))()`) == "1 179,38,30,255"
	})
	if eval[bool](options, `chrome.notifications !== undefined || document.getElementById("notify").checked`) {
		t.Error("the permission was not asked for")
	}
}
