package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestAgentOptions(t *testing.T) {
	// Ensure that each setting is saved as it is changed, that a refusal stands at its field and nowhere else, that an impossible value is not sent, and that the key is shown masked only.
	t.Parallel()
	a := playAgent(t)
	options := a.page(optionsURL)
	options.says("key", "sk…4242, from the keychain")
	options.says("base", "https://api.openai.com/v1")
	set := func(id string, value any) {
		t.Helper()
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		eval[bool](options, fmt.Sprintf(`(e => (e.focus(), e.type === "checkbox" ? e.checked = %s : e.value = %[1]s, e.dispatchEvent(new Event("change")), true))(document.getElementById(%q))`, raw, id))
	}
	for _, c := range []struct {
		id    string
		value any
		want  string
	}{
		{"model", " gpt-realtime-mini ", `{"model":"gpt-realtime-mini"}`},
		{"voice", "marin", `{"voice":"marin"}`},
		{"threshold", "0.7", `{"turns":{"mode":"server_vad","threshold":0.7,"prefix_padding_ms":300,"silence_duration_ms":800}}`},
		{"turns-mode", "semantic_vad", `{"turns":{"mode":"semantic_vad","eagerness":"auto"}}`},
		{"eagerness", "low", `{"turns":{"mode":"semantic_vad","eagerness":"low"}}`},
		{"mode", "ask", `{"mode":"ask"}`},
		{"spending_limit_usd", "2.5", `{"spending_limit_usd":2.5}`},
		{"pictures", "every_step", `{"pictures":"every_step"}`},
		{"memory", false, `{"memory":false}`},
	} {
		set(c.id, c.value)
		a.heard(`settings {"changes":` + c.want + `}`)
		options.says("saved", "Saved")
	}
	a.refuse(fault.New(fault.InvalidInput, "model must be a name"))
	set("model", "x y")
	a.heard(`settings {"changes":{"model":"x y"}}`)
	options.says("model-wrong", "model must be a name")
	if got := eval[string](options, `document.querySelectorAll("[aria-invalid=true]").length + " " + document.getElementById("model").getAttribute("aria-invalid")`); got != "1 true" {
		t.Errorf("invalid fields: %s", got)
	}
	set("model", "y")
	a.heard(`settings {"changes":{"model":"y"}}`)
	harness.Until(t, "the field is right again", func() bool { return options.text("model-wrong") == "" })
	set("spending_limit_usd", "-1")
	harness.Until(t, "the field says so", func() bool { return options.text("spending_limit_usd-wrong") != "" })
	options.click("#forget")
	a.heard("forget {}") // and not the limit
	options.says("saved", "The agent has forgotten earlier sessions.")

	set("profile_label", " Work ")
	options.says("saved", "Saved")
	popup := extensionPage(t, a.played.Launched)
	popup.says("profile", "Work")
	set("profile_label", "")
	harness.Until(t, "a profile without a name is refused", func() bool { return options.text("profile_label-wrong") != "" })
}

func TestOptionsKeepWhatIsEdited(t *testing.T) {
	// Ensure that a field that is stepped or typed on while earlier values of it are being saved keeps what stands in it, whatever the host reports meanwhile, and that it shows the host's value again afterwards.
	t.Parallel()
	a := playAgent(t)
	options := a.page(optionsURL)
	options.says("key", "sk…4242")
	// Each save is answered when its value is.
	answers := map[string]chan struct{}{}
	for _, value := range []string{"801", "802", "803", "804", `"gpt"`} {
		answers[value] = make(chan struct{})
	}
	a.played.ServeAgent(func(method string, params json.RawMessage) (json.RawMessage, error) {
		view, err := a.answer(method, params)
		for value, answered := range answers {
			if method == "settings" && strings.Contains(string(params), value) {
				select {
				case <-answered:
				case <-t.Context().Done():
				}
			}
		}
		return view, err
	})
	bases := 0
	// reports has the host send a value of the field, and waits until the page has seen it.
	reports := func(path string, value any) {
		t.Helper()
		bases++
		settings, base := agentSettings(), fmt.Sprintf("https://api.openai.com/v%d", 100+bases)
		settings["base"] = base
		if path == "model" {
			settings[path] = value
		} else {
			settings["turns"].(object)[path] = value
		}
		a.shows("settings", settings)
		options.says("base", base)
	}
	stands := func(id, want string) {
		t.Helper()
		if got := eval[string](options, fmt.Sprintf(`document.getElementById(%q).value`, id)); got != want {
			t.Errorf("%s is %s, not %s", id, got, want)
		}
	}
	// saved has the host answer the save of the value, and waits until the page shows it.
	saved := func(value string) {
		t.Helper()
		eval[bool](options, `(document.getElementById("saved").textContent = "", true)`)
		close(answers[value])
		options.says("saved", "Saved")
	}

	const stepped = "silence_duration_ms"
	eval[bool](options, `(document.getElementById("`+stepped+`").focus(), true)`)
	for range 3 {
		options.key("ArrowUp", "ArrowUp", 38, "", 0)
	}
	harness.Until(t, "each step is saved", func() bool { return a.asked() == 3 })
	for _, value := range []int{801, 802, 803} {
		saved(strconv.Itoa(value))
		reports(stepped, value)
		stands(stepped, "803")
	}
	reports(stepped, 900)
	stands(stepped, "900")

	// What became of an older save takes no error from a value that came after it.
	options.replaces("#"+stepped, "804")
	options.enter(noModifier)
	harness.Until(t, "the value is saved", func() bool { return a.asked() == 4 })
	options.replaces("#"+stepped, "-1")
	options.enter(noModifier)
	harness.Until(t, "the field says so", func() bool { return options.text(stepped+"-wrong") != "" })
	saved("804")
	reports(stepped, 804)
	stands(stepped, "-1")
	if options.text(stepped+"-wrong") == "" {
		t.Error("the invalid value has no error")
	}

	options.replaces("#model", "gpt")
	options.enter(noModifier)
	harness.Until(t, "the name is saved", func() bool { return a.asked() == 5 })
	do(options, input.InsertText, input.InsertTextParams{Text: "-x"})
	saved(`"gpt"`)
	reports("model", "gpt")
	stands("model", "gpt-x")
}

func TestAgentOfTheHost(t *testing.T) {
	// Ensure that the real host and the pages understand each other: without a key a start fails with the reason and the command, and a setting is kept, or refused at its field.
	t.Parallel()
	home := harness.NewHome(t)
	b := home.OpenWith(t, []string{key.Environment(key.OpenAI) + "="}, nil) // no test spends money
	popup := openPopup(t, b)
	popup.says("agent-state", "Not started")
	popup.settled()
	popup.click("#agent-text")
	popup.says("agent-state", "The session ended with an error")
	popup.says("agent-problem", "actions-host key set")
	a := &playedAgent{t: t, played: &harness.Played{Launched: b}}
	options := a.page(optionsURL)
	options.says("key", "No key is set.")
	change := func(id, value string) {
		t.Helper()
		options.enabled("#" + id)
		eval[bool](options, fmt.Sprintf(`(e => (e.value = %q, e.dispatchEvent(new Event("change")), true))(document.getElementById(%q))`, value, id))
	}
	change("voice", "marin")
	options.says("saved", "Saved")
	change("turns-mode", "semantic_vad")
	harness.Until(t, "the settings are in the file", func() bool {
		text, err := os.ReadFile(filepath.Join(home.Dir, "data", "agent.json"))
		return err == nil && strings.Contains(string(text), `"marin"`) && strings.Contains(string(text), `"semantic_vad"`)
	})
	eval[bool](options, `(document.getElementById("model").removeAttribute("maxlength"), true)`)
	change("model", strings.Repeat("m", 101))
	options.says("model-wrong", "model must be a name")
	if got := eval[string](a.page(optionsURL), `new Promise(done => {
		const look = () => document.getElementById("voice").value === "" ? setTimeout(look, 20) : done(document.getElementById("voice").value);
		look();
	})`); got != "marin" {
		t.Errorf("the voice is %q", got)
	}
}
