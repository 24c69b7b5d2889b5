// Package conformance holds the cases that prove the page primitives: each is a
// page of its own, calls on it, and questions to the page about what came of
// them.
//
// Rules of this package:
//   - A case knows no transport. A Backend opens the page and makes the calls:
//     the page code alone, or the whole chain down from the host.
//   - The names of the cases are the ones that the records of the dictionary
//     list under "conformance"; a test compares the two.
//   - Every output is checked against the record's output_schema and every
//     error code against the record's errors.
//   - Results are asked of the page's own world, not of the primitive under test.
package conformance

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Backend is one way to reach a page.
type Backend interface {
	// Open loads the URL in a tab whose viewport is 1280 CSS pixels wide and 700
	// or more high, waits for its load event and sends the next calls there.
	Open(t *testing.T, url string)
	// Call runs a primitive with the arguments, a JSON object. A cancelled
	// context cancels the call.
	Call(ctx context.Context, t *testing.T, name, args string) (json.RawMessage, *fault.Error)
	// Eval evaluates an expression in the page's main world, awaits it, and
	// decodes its JSON into out.
	Eval(t *testing.T, js string, out any)
}

// Case is one page and what is expected on it.
type Case struct {
	Name string // PRIMITIVE/what it shows
	HTML string // the body of the page, or all of it
	CSP  string // Content-Security-Policy of the page; "" for none
	Run  func(p *Page)
}

// Cases returns all cases, family by family.
func Cases() []Case {
	return slices.Concat(
		readCases(), tableCases(), observeCases(), extractCases(), locatorCases(), actionableCases(), valueCases(), waitCases(),
		scrollCases(), pointerCases(), clickTargetCases(), insertCases(), typeCases(), keyCases(), editKeyCases(),
		stateCases(), stateFieldCases(), signalCases(), attachmentCases(), overlayCases(),
		locatorKeyCases(), doubleClickCases(), fetchCases(), sectionCases(), focusCases(), selectCases(), pasteCases(), findCases(), formCases(), articleCases(),
		secretFieldCases(),
		pageTranscriptCases(),
	)
}

// InternalCases returns the cases of internal primitives, which no caller can name:
// they run against the page code alone.
func InternalCases() []Case {
	return slices.Concat(actDetailCases(), treeCases(document, documentTree), secretFieldTreeCases(document, documentTree), refCases(document, documentTree), targetCases(document, documentTree), depthCases(), unsavedCases(), boxCases(), observeRegionCases(), probeCases(), keyDetailCases(), shownCases(), pdfDetailCases(), pageCopyCases())
}

// ActingCases returns the cases of acting and looking that need more than the page:
// the browser's input and frames.
func ActingCases() []Case {
	return slices.Concat(
		actCases(), observedCases(), frameCases(), trustedCases(), pageWaitCases(), fetchChainCases(), clipboardCases(), gatedCases(),
		snapshotCases(), treeCases(shot, hostTree), secretFieldTreeCases(shot, hostTree), secretFieldChainCases(), refCases(shot, hostTree),
	)
}

// HostCases returns the cases of what the browser and the host do: tabs, debugger,
// maps, tasks, the agent.
func HostCases() []Case {
	return slices.Concat(
		batchCases(), siteCases(), storageCases(), taskCases(), transferCases(), runtimeCases(), agentCases(), overlayChainCases(), codeCases(), replCases(), browserJSCases(),
		consoleCases(), networkCases(), a11yCases(), announceCases(), dialogCases(), tabCases(), screenshotCases(), pdfCases(), noToolCases(), navigateCases(), netCases(), clarifyCases(), secretFieldHostCases(), automationCases(), pickerCases(),
		actionsSaveCases(),
	)
}

// Run runs the cases against the backend.
func Run(t *testing.T, backend Backend, cases []Case) {
	site := NewSite(t)
	for _, c := range cases {
		opened := false
		ok := t.Run(c.Name, func(t *testing.T) {
			site.reset()
			backend.Open(t, site.page(c))
			opened = true
			c.Run(&Page{T: t, Site: site, backend: backend, catalogue: primitive.Load()})
		})
		if !ok && !opened {
			t.Fatalf("the tab shows no page any more: the case before %s left it so", c.Name)
		}
	}
}
