package launch

import (
	"slices"
	"strings"
)

const (
	enableFeatures  = "--enable-features="
	disableFeatures = "--disable-features="
	blinkSettings   = "--blink-settings="

	// unreachableURL is an address that the browser refuses by itself: Chromium never connects
	// to its port.
	unreachableURL = "http://127.0.0.1:1/"
)

// baseArguments are the arguments of every run.
var baseArguments = []string{
	"--remote-debugging-pipe", "--window-size=1280,900",
	"--silent-debugger-extension-api", "--no-first-run", "--no-default-browser-check",
	"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
	"--disable-default-apps", "--password-store=basic", "--use-mock-keychain",
	"--enable-unsafe-extension-debugging",
}

// privacyArguments keep the browser from sending anything of its own to its maker. The list was
// found with a network log, host by host:
//
//	accounts.google.com                 the accounts signed in to: no feature switches the question off
//	update.googleapis.com               a model's component, though --disable-component-update is given
//	content-autofill.googleapis.com     the forms of the pages: AutofillServerCommunication
//	clients2.google.com/time            the time: NetworkTimeServiceQuerying
//	optimizationguide-pa.googleapis.com models and hints for pages: OptimizationHints
//
// MediaRouter looks for screens in the local network, and Translate asks about
// the pages' languages.
var privacyArguments = []string{
	"--gaia-url=" + unreachableURL, "--component-updater=url-source=" + unreachableURL,
	"--metrics-recording-only", "--disable-breakpad",
	disableFeatures + "AutofillServerCommunication,NetworkTimeServiceQuerying,OptimizationHints,MediaRouter,Translate",
}

// promptArguments let a page work on an input at once. Chromium puts a page's tasks off until the
// frame that shows the input, up to 16 ms later, and the answer of a click waits for what the page
// does: it takes 10 ms in place of 17.
var promptArguments = []string{disableFeatures + "DeferRendererTasksAfterInput"}

// headlessArguments are for a browser without a window: its pages must not be throttled for
// being hidden, nor count as hung; it has no devices, so pages are given the mouse that a window
// has (pointer: fine, hover: hover); and its address bar is not used, whose two pages would take
// a third of the start.
var headlessArguments = []string{
	"--headless=new", "--disable-gpu",
	"--disable-background-timer-throttling", "--disable-renderer-backgrounding",
	"--disable-backgrounding-occluded-windows", "--disable-hang-monitor",
	disableFeatures + "WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup",
	blinkSettings + "primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2",
}

// arguments returns the browser's command line: what every run needs, then the
// caller's own. Features and settings are merged, since the browser heeds the last list only;
// it heeds what is disabled before what is enabled, and what the caller enables is no longer
// disabled. It starts with a blank page: see openTabs.
func arguments(o Options, userDataDir string, root bool) []string {
	args := append(slices.Concat(baseArguments, privacyArguments, promptArguments), "--user-data-dir="+userDataDir)
	if o.Headless {
		args = append(args, headlessArguments...)
	}
	if root {
		args = append(args, "--no-sandbox")
	}
	args = append(args, o.Args...)
	args, enabled := cut(args, enableFeatures)
	args, disabled := cut(args, disableFeatures)
	args, settings := cut(args, blinkSettings)
	disabled = slices.DeleteFunc(disabled, func(feature string) bool { return slices.Contains(enabled, feature) })
	for _, list := range []struct {
		prefix string
		values []string
	}{{enableFeatures, enabled}, {disableFeatures, disabled}, {blinkSettings, settings}} {
		if len(list.values) > 0 {
			args = append(args, list.prefix+strings.Join(list.values, ","))
		}
	}
	return append(args, blankURL)
}

// cut returns the arguments without those that begin with the prefix, and the values of these.
func cut(args []string, prefix string) (others, values []string) {
	for _, a := range args {
		if list, ok := strings.CutPrefix(a, prefix); ok {
			values = append(values, strings.Split(list, ",")...)
		} else {
			others = append(others, a)
		}
	}
	return others, values
}
