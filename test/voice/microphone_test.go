package voice

import (
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/harness/drive"
)

// answer answers the browser's question about the microphone as the user may, and
// waits until the offscreen document has heard of it, which takes a moment.
func (p *phone) answer(setting browser.PermissionSetting) {
	p.t.Helper()
	if _, err := cdp.Call(p.ctx, p.Launched.Session(), browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "microphone"}, Setting: setting, Origin: "chrome-extension://" + manifest.ExtensionID,
	}); err != nil {
		p.t.Fatal(err)
	}
	harness.Until(p.t, "the microphone is "+string(setting), func() bool {
		return eval[bool](p, `navigator.mediaDevices.getUserMedia({ audio: true }).then(s => { s.getTracks().forEach(t => t.stop()); return true; }, () => false)`) == (setting == browser.PermissionSettingGranted)
	})
}

// unavailable expects an offer to fail for the reason.
func (p *phone) unavailable(reason string) {
	p.t.Helper()
	_, err := p.media().Offer(p.ctx)
	if f := fault.From(err); !fault.Is(err, fault.MicrophoneUnavailable) || f.Evidence["reason"] != reason || f.Dispatched != fault.NotDispatched {
		p.t.Errorf("the offer gave %v (%v), not %s", err, f, reason)
	}
}

func TestMicrophonePermission(t *testing.T) {
	// Ensure that a user who was never asked is asked in a page of the extension's, once, that the page tells when the microphone is allowed, that it then can be used, and that a user who has refused is not asked again.
	t.Parallel()
	p := open(t, fakeDevice)
	p.unavailable("permission_needed")
	p.unavailable("permission_needed")
	var pages []*target.Info
	harness.Until(t, "a page asks", func() bool {
		pages = p.pages("microphone.html")
		return len(pages) > 0
	})
	if len(pages) != 1 {
		t.Fatalf("%d pages ask", len(pages))
	}
	page, detach := drive.Attach(p.Launched, pages[0].TargetID)
	t.Cleanup(detach)
	if err := chromedp.Do(page); err != nil {
		t.Fatal(err)
	}
	shows := func(js string) func() bool {
		return func() bool {
			value, err := chromedp.Run(page, chromedp.Evaluate[bool](js))
			return err == nil && value
		}
	}
	harness.Until(t, "the page has a button to allow it", shows(`document.getElementById("allow").checkVisibility()`))
	p.answer(browser.PermissionSettingGranted)
	if err := chromedp.Do(page, chromedp.Click(chromedp.CSS("#allow"))); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the page says that it is allowed", shows(`!document.getElementById("allow").checkVisibility() && document.getElementById("state").textContent.includes("is allowed")`))
	p.call().Loudest(p.ctx, 10)
	if err := p.media().Close(p.ctx); err != nil {
		t.Fatal(err)
	}
	p.answer(browser.PermissionSettingDenied)
	harness.Until(t, "the page says that it is blocked", shows(`dispatchEvent(new Event("focus")) && document.getElementById("state").textContent.includes("is blocked")`))
	p.unavailable("permission_denied")
	if n := p.live(); n != 0 {
		t.Errorf("%d microphones are open", n)
	}
}

func TestMicrophoneMissing(t *testing.T) {
	// Ensure that a computer without a microphone, and one whose microphone another program holds, are each told as what they are.
	t.Parallel()
	p := open(t, fakeConsent)
	p.unavailable("no_microphone")
	// Another program that holds the device cannot be had here: the browser's word for it is.
	eval[bool](p, `(seen.gate = Promise.reject(new DOMException("busy", "NotReadableError"))).catch(() => true)`)
	p.unavailable("in_use")
	if n := len(p.pages("microphone.html")); n != 0 {
		t.Errorf("%d pages ask for a permission that is there", n)
	}
}
