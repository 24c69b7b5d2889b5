package hostproc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// Secrets that are planted; none of them may be found afterwards.
const (
	password = "correct-Horse-7-battery"
	apiKey   = "sk-proj-Zx81kQmPlantedKey0042"
	jwt      = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ"
	urlToken = "tok3n-in-a-url-5519"
	pixels   = "UExBTlRFRC1QSVhFTFMtUExBTlRFRC1QSVhFTFM"
	cookie   = "sid=planted-cookie-31337"
)

// secretive is a page full of secrets.
func secretive(_ context.Context, c protocol.ActionCall) (any, error) {
	switch c.Name {
	case "text.insert":
		var args struct{ Target string }
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			return nil, err
		}
		if args.Target == "#broken" {
			return nil, fault.New(fault.HandlerFailed, "the page said: Authorization: Bearer %s", apiKey).
				With("headers", map[string]any{"Cookie": cookie}).With("url", shop+"?access_token="+urlToken).With("shot", "data:image/png;base64,"+pixels)
		}
		return map[string]any{
			"inserted": true, "inserted_length": len(password), "input_method": "native-setter", "verified": true,
			"selected_text_length": 0, "selection_sync": true, "tag_name": "input", "sensitive": args.Target != "#plain",
		}, nil
	case "dom.snapshot_text":
		text := "Your key: " + apiKey + " and token=" + jwt + " <img src=\"data:image/png;base64," + pixels + "\">"
		return map[string]any{"text": text, "truncated": false, "total_chars": len(text)}, nil
	case "page.info":
		return map[string]any{"url": shop + "?access_token=" + urlToken + "#x", "title": "data:image/png;base64," + pixels}, nil
	}
	return fakes.Answer(c)
}

func TestNoSecretIsKept(t *testing.T) {
	// Ensure that passwords that were typed, keys, tokens, cookies and pictures that passed through calls, reports, errors, approvals and claims are found nowhere in the files of the host, and typed passwords in nothing that a client was shown but the question whether to type them.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	home.Map(t, "public", "shop.example.com", "s", `{"protocol":"actions.json","version":1,"tools":[`+
		tool("flow.login", workflow("", step("type", "text.insert", `,"args":{"target":"#password","text":"{% input.text %}"}`), step("look", "dom.snapshot_text", "")))+`,`+
		tool("flow.broken", workflow("", step("type", "text.insert", `,"args":{"target":"#broken","text":"{% input.text %}"}`)))+`,`+
		tool("handler.login", `"x_actions":{"handler":"text.insert"},"binding":{"arguments":{"target":"#password"}}`)+`]}`)
	b := &fakes.Browser{Page: secretive}
	p := home.Ready(t, b, shop+"login?access_token="+urlToken)
	if err := b.Goto(patient(t), 1, shop+"in?session_token="+urlToken); err != nil {
		t.Fatal(err)
	}
	c := dial(t, home)
	var shown bytes.Buffer
	show := func(v any) {
		if err := json.NewEncoder(&shown).Encode(v); err != nil {
			t.Fatal(err)
		}
	}

	typed := fmt.Sprintf(`{"target":"#password","text":%q}`, password)
	// What is refused, in each way that it can be, shows nothing either.
	show(wantCode(t, home.Call(t, "text.insert", typed, "--mode", "ask"), fault.PermissionDenied))
	show(wantCode(t, home.Call(t, "text.insert", fmt.Sprintf(`{"target":"#password","text":{"inner":%q}}`, password)), fault.InvalidInput))
	show(wantCode(t, home.Call(t, "text.insert", fmt.Sprintf(`{"target":"#password","text":%q,"mode":%q}`, password, "odd")), fault.InvalidInput))
	show(wantCode(t, home.SiteCall(t, "flow.nothing", fmt.Sprintf(`{"text":%q}`, password)), fault.UnknownAction))
	show(wantCode(t, home.SiteCall(t, "flow.login", fmt.Sprintf(`{"text":[%q]}`, password)), fault.InvalidInput))
	id := fmt.Sprint(wantCode(t, home.Call(t, "text.insert", typed), fault.NeedsApproval).Evidence["id"])
	// The question is the one place that shows it: the user is to know what is
	// going to be typed.
	if asked := waiting(t, c); len(asked) != 1 || !strings.Contains(asked[0].Summary, password) {
		t.Fatalf("the question does not show what it asks for: %+v", asked)
	}
	home.Allow(t, id)
	answerAll := func(p string, args string) {
		t.Helper()
		id := fmt.Sprint(wantCode(t, home.SiteCall(t, p, args), fault.NeedsApproval).Evidence["id"])
		home.Allow(t, id)
	}

	// What runs.
	e := home.Call(t, "text.insert", typed, "--reason", "The key is "+apiKey)
	harness.Must(t, e, nil)
	show(e)
	input := fmt.Sprintf(`{"text":%q}`, password)
	for _, action := range []string{"flow.login", "handler.login", "flow.broken"} {
		answerAll(action, input)
		e := home.SiteCall(t, action, input)
		if e.OK != (action != "flow.broken") {
			t.Fatalf("%s: %+v", action, e.Error)
		}
		show(e)
	}
	harness.Must(t, home.Call(t, "dom.snapshot_text", fmt.Sprintf(`{"selector":"[data-key='%s']"}`, apiKey)), nil)
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	show(home.Run(t, "log", "dump").Stdout)
	show(home.Run(t, "log", "dump", "--json").Stdout)
	hangUp(t, p)

	if n := bytes.Count(shown.Bytes(), []byte(password)); n != 0 {
		t.Errorf("clients were shown the password %d times", n)
	}
	wantNoSecrets(t, home)
	all := records(t, home)
	lengths, redacted := 0, 0
	for _, r := range all {
		lengths += strings.Count(string(r.Data), fmt.Sprintf(`{"length":%d}`, len(password)))
		redacted += strings.Count(string(r.Data), "redacted")
		if r.Type == journal.TypeOutcome && r.Name == "text.insert" && strings.Contains(string(r.Data), `"sensitive":true`) && strings.Contains(string(r.Data), `"text"`) {
			t.Errorf("an outcome holds the arguments of a sensitive field: %s", r.Data)
		}
	}
	if lengths == 0 || redacted < 5 {
		t.Errorf("the log shows %d lengths and %d redactions: were the secrets there at all?", lengths, redacted)
	}
}

// wantNoSecrets searches every file of the home, but for the maps, which the
// user wrote.
func wantNoSecrets(t *testing.T, home *harness.Home) {
	t.Helper()
	wantNowhere(t, home, password, apiKey, jwt, urlToken, pixels, cookie)
}

func wantNowhere(t *testing.T, home *harness.Home, secrets ...string) {
	t.Helper()
	searched := 0
	err := filepath.WalkDir(home.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		searched++
		for _, secret := range secrets {
			if at := bytes.Index(text, []byte(secret)); at >= 0 {
				t.Errorf("%s holds %q: …%s…", path, secret, text[max(0, at-200):min(len(text), at+len(secret)+20)])
			}
		}
		return nil
	})
	if err != nil || searched < 3 { // database, host.log, settings
		t.Fatalf("%d files searched, %v", searched, err)
	}
}

// signUp is a stored action that types its arguments into a plain field, into a
// sensitive one and, where it is asked to, into another plain one.
func signUp(home *harness.Home, t *testing.T) {
	text := func(id, target, value, more string) string {
		return step(id, "text.insert", fmt.Sprintf(`,"args":{"target":%q,"text":%q}%s`, target, value, more))
	}
	home.Map(t, "public", "shop.example.com", "s", `{"protocol":"actions.json","version":1,"tools":[{"name":"account.sign_up","description":"d",
		"input_schema":{"type":"object"},`+workflow("", text("user", "#plain", "{% input.user %}", ""), text("word", "#password", "{% $uppercase(input.word) %}", ""),
		text("hint", "#plain", "{% input.hint %}", `,"when":"{% input.hinted %}"`), step("look", "page.info", ""))+`}]}`)
}

const signUpArguments = `{"user":"planted-user","word":"planted-word","hint":"planted-hint","hinted":false,"count":12,"note":"planted-note","access_token":"planted-token"}`

func TestArgumentsOfAnAction(t *testing.T) {
	// Ensure that the log keeps the arguments of a stored action with its outcome, redacted, in the file and for people: not one that went into a sensitive field, nor one that a step would have typed and did not.
	t.Parallel()
	home := harness.NewHome(t)
	signUp(home, t)
	p := home.Ready(t, &fakes.Browser{Page: secretive}, shop)
	harness.Must(t, home.SiteCall(t, "account.sign_up", signUpArguments), nil)
	if lines := home.Run(t, "log", "dump").Stdout; !strings.Contains(lines, "note=planted-note") || !strings.Contains(lines, "‹12 characters›") {
		t.Errorf("a person reads\n%s", lines)
	}
	hangUp(t, p)
	var kept struct {
		Arguments struct{ Arguments map[string]json.RawMessage }
	}
	for _, r := range records(t, home) {
		if r.Name == dispatch.SiteTool && r.Type == journal.TypeOutcome {
			if err := json.Unmarshal(r.Data, &kept); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range map[string]string{
		"user": `"planted-user"`, "word": `{"length":12}`, "hint": `{"length":12}`, "hinted": `false`, "count": `12`, "note": `"planted-note"`, "access_token": `"[redacted]"`,
	} {
		if got := string(kept.Arguments.Arguments[name]); got != want {
			t.Errorf("%s is kept as %s, not %s", name, got, want)
		}
	}
	wantNowhere(t, home, "planted-word", "PLANTED-WORD", "planted-hint", "planted-token")
}

func TestNothingIsTypedBeforeTheOutcome(t *testing.T) {
	// Ensure that a host which is killed in the middle of a stored action leaves none of its arguments on disk but those that a step's own outcome shows.
	t.Parallel()
	home := harness.NewHome(t)
	signUp(home, t)
	started := make(chan struct{}, 10)
	p := home.Ready(t, &fakes.Browser{Page: func(ctx context.Context, c protocol.ActionCall) (any, error) {
		if strings.Contains(string(c.Arguments), "#password") {
			started <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return secretive(ctx, c)
	}}, shop)
	done := terminal(t, home, "site", "call", "account.sign_up", signUpArguments)
	wait(t, "the password is being typed", started)
	kill(t, p)
	wait(t, "the command ends", done)
	wantNowhere(t, home, "planted-word", "PLANTED-WORD", "planted-hint", "planted-note", "planted-token")
	p = home.Ready(t, &fakes.Browser{Page: page}, shop)
	hangUp(t, p)
	wantNowhere(t, home, "planted-word", "PLANTED-WORD", "planted-hint", "planted-note", "planted-token")
	wantClosed(t, records(t, home))
}
