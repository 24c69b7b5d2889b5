package primitive

import "github.com/actionsjson/actions-host/pkg/fault"

// adapterOf returns the adapter of a browser by the name that its extension gives it: all
// but Firefox are made of Chromium.
func adapterOf(browser string) string {
	if browser == "firefox" {
		return "firefox"
	}
	return "chromium"
}

// CheckBrowser returns an error if the browser cannot run the primitive at all. One that
// supports a portion of it reports what it lacks once that is asked for.
func (r *Record) CheckBrowser(browser string) error {
	adapter := r.Adapters[adapterOf(browser)]
	if adapter.Support != "unsupported" {
		return nil
	}
	return fault.New(fault.CapabilityUnavailable, "%s is not available in %s: %s", r.Name, browser, adapter.Reason).
		With("browser", browser).WithNextStep("Use another primitive, or another browser.").WithDispatched(fault.NotDispatched)
}
