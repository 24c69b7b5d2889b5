package voice

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

const askURL = manifest.ExtensionURL + "microphone.html"

func TestAgentMicrophone(t *testing.T) {
	// Ensure that a start by voice whose user was not asked yet, has looked away from the question or has refused fails with the reason and what to do, over the socket and in the pane alike, that no session and no charge comes of it, and that a text session and, once it is allowed, a call start.
	t.Parallel()
	k := converseWith(t, []string{fakeDevice})
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	k.speechless("permission_needed", "has not been allowed")
	k.closeTarget("page", askURL) // dismissed
	k.speechless("permission_needed", "has not been allowed")
	k.closeTarget("page", askURL)

	k.permission(browser.PermissionSettingDenied)
	harness.Until(t, "the refusal has reached the document that opens the microphone", func() bool {
		state, err := k.evaluate("background_page", offscreenURL, `navigator.permissions.query({name: "microphone"}).then(p => p.state)`)
		return err == nil && state == `"denied"`
	})
	k.speechless("permission_denied", "may not use the microphone")
	if asking := k.targets("page", askURL); len(asking) != 0 {
		t.Errorf("%d pages ask a user who has refused", len(asking))
	}
	t.Run("text instead", func(t *testing.T) {
		k := k.as(t)
		k.write()
		k.shown("listening", map[string]string{"channels": "text only"})
	})
	k.permission(browser.PermissionSettingGranted)
	harness.Until(t, "the permission has reached the extension", func() bool {
		return k.home.Call(t, "runtime.agent.start", `{"text_only":false}`).OK
	})
	k.next()
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed")
	k.shown("listening", nil)
}

func TestAgentWithoutMicrophone(t *testing.T) {
	// Ensure that a computer without a microphone says so, over the socket and in the pane.
	t.Parallel()
	k := converseWith(t, []string{fakeConsent})
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	k.speechless("no_microphone", "no microphone")
}

// speechless expects that no call can be made, for the reason.
func (k *talk) speechless(reason, words string) {
	k.t.Helper()
	told := func(err *fault.Error) {
		k.t.Helper()
		if err == nil || err.Code != fault.MicrophoneUnavailable || err.Evidence["reason"] != reason || err.NextStep == "" {
			k.t.Fatalf("the start gave %v %v", err, err.Evidence)
		}
		k.problem(words, err.NextStep)
	}
	told(k.home.Call(k.t, "runtime.agent.start", `{"text_only":false}`).Error)
	// The same from the pane's own button, which is in sight when its tab is in front of the question.
	k.front()
	before := len(k.lifecycle())
	k.press(`document.getElementById("start-voice")`)
	harness.Until(k.t, "the pane has tried", func() bool { return len(k.lifecycle()) == before+2 }) // connecting, error
	told(k.home.Call(k.t, "runtime.agent.start", `{"text_only":false}`).Error)
	if n := k.service.Count(); n != 0 {
		k.t.Errorf("the service was asked for %d sessions", n)
	}
}

func (k *talk) permission(setting browser.PermissionSetting) {
	k.t.Helper()
	if _, err := cdp.Call(k.ctx, k.browser.Session(), browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "microphone"}, Setting: setting, Origin: strings.TrimSuffix(askURL, "/microphone.html"),
	}); err != nil {
		k.t.Fatal(err)
	}
}
