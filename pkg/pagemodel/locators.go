package pagemodel

import "encoding/json"

// LocatorReport is what the locators of a map's actions find on the page now. Those of steps that
// run after others may find nothing yet, so that finding nothing is a fault only where an earlier
// run on this page found something.
type LocatorReport struct {
	OK       bool            `json:"ok"`
	Found    int             `json:"found"`           // that find one element
	Several  int             `json:"several"`         // that find more
	Missing  int             `json:"missing"`         // that find none
	Slots    int             `json:"slots"`           // that cannot be tested: their values come with a call
	Untested int             `json:"untested"`        // that could not be read, or for which there was no room
	Since    string          `json:"since,omitempty"` // when the last good run was
	Findings []LocatorResult `json:"findings,omitempty"`
}

// LocatorResult is a locator that does not find one element, or not as many as in the last good run.
type LocatorResult struct {
	Status  Status          `json:"status"` // failed: the step cannot run, or what was there is gone
	Tool    string          `json:"tool"`
	Step    string          `json:"step,omitempty"` // "" for a handler
	Pointer string          `json:"pointer"`        // inside the tool
	Locator json.RawMessage `json:"locator"`
	Count   int             `json:"count"`
	Was     *int            `json:"was,omitempty"` // in the last good run
	Reason  string          `json:"reason"`
}
