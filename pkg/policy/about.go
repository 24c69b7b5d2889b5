package policy

import "encoding/json"

// About is what a question is about, in parts that each language puts into its own
// words. No part holds a secret.
type About struct {
	// Argument is what the call names its target with.
	Argument string `json:"argument,omitzero"`
	// Characters is how long the text is that would be typed or run.
	Characters int `json:"characters,omitzero"`
	// Destination is the origin that the call would go to.
	Destination string `json:"destination,omitzero"`
	// Action is whether the call is a stored action of the site, as a whole.
	Action bool `json:"action,omitzero"`
	// OnceOnly is whether only an approval of this very call counts.
	OnceOnly bool `json:"once_only,omitzero"`
	TabID    int  `json:"tab_id,omitzero"`
	// Locator finds the target in the tab.
	Locator json.RawMessage `json:"locator,omitzero"`
	// Plan is what a stored action would do, as far as it is known.
	Plan Plan `json:"plan,omitzero"`
}

// Plan is what a stored action would do, step by step.
type Plan []PlannedStep

// PlannedStep is what one step would do. Words of the page are in Target, and in Does.
type PlannedStep struct {
	Primitive  string `json:"primitive"`
	Does       string `json:"does"`                // in English
	Role       string `json:"role,omitzero"`       // of the target
	Target     string `json:"target,omitzero"`     // what the page calls it
	Argument   string `json:"argument,omitzero"`   // what the call names, where the page has no name for it
	Characters int    `json:"characters,omitzero"` // that would be typed
	Address    string `json:"address,omitzero"`    // that would be opened or sent to, without secrets
	Unknown    bool   `json:"unknown,omitzero"`    // until the steps before have run
}
