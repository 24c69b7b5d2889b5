package recording

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxNames is how many names are made up for an action, where the first is taken.
const maxNames = 20

// Result is what became of a recording, or why nothing came of it yet: one that makes no action goes on.
type Result struct {
	Action    string   `json:"action,omitzero"`
	URL       string   `json:"url,omitzero"`
	Path      string   `json:"path,omitzero"`
	Sentences []string `json:"sentences,omitzero"`
	Inputs    []string `json:"inputs,omitzero"`
	Notes     []string `json:"notes,omitzero"`
	// Parameters says that the address of the first page had some, which are not kept.
	Parameters bool         `json:"parameters,omitzero"`
	Error      *fault.Error `json:"error,omitzero"`
	*compile.Details
}

// make makes an action of a recording and stores it.
func (r *Recorder) make(of *recording) *Result {
	if len(of.Steps) == 0 {
		return &Result{Error: fault.New(fault.InvalidInput, "nothing was recorded: there was no click, no key and no text").
			WithNextStep("Record again, and do the job by hand in the tab before Done.")}
	}
	made, details, err := r.compile(of, of.Name)
	if err != nil {
		return &Result{Error: err}
	}
	// A made-up name that is taken gets a number: the user could not give another one.
	path, failed := r.Store(made)
	for n, first := 2, made.Name; of.Name == "" && fault.Is(failed, fault.InstallConflict) && n <= maxNames; n++ {
		if made, details, err = r.compile(of, fmt.Sprintf("%s_%d", first, n)); err != nil {
			return &Result{Error: err}
		}
		path, failed = r.Store(made)
	}
	if failed != nil {
		return &Result{Error: fault.From(failed).WithNextStep("The recording goes on. Press Done again once that is mended, or give it up in the popup.")}
	}
	out := &Result{Action: made.Name, Path: path, Details: details, URL: made.URL, Sentences: made.Sentences, Inputs: made.Inputs, Notes: made.Notes, Parameters: of.Parameters && samePath(made.URL, of.URL)}
	if out.Parameters {
		out.Notes = append(out.Notes, "The address of the page where it begins had parameters, which are not kept: open that page before you run it.")
	}
	return out
}

// compile makes the action, under a name made up of the last step where the given one is empty.
func (r *Recorder) compile(of *recording, name string) (compile.Action, *compile.Details, *fault.Error) {
	made, err := compile.Write(of.run(), compile.Options{Name: name, Catalogue: r.Catalogue})
	if err == nil && len(made.Findings) > 0 {
		err = fault.New(fault.InvalidMap, "the recording makes a map that breaks a rule: %s", made.Findings[0].Message)
	}
	var details *compile.Details
	if err == nil {
		details, err = made.Details(r.Catalogue)
	}
	if err != nil {
		return made, nil, fault.From(err).
			WithNextStep("The recording goes on. Take back what is in the way with Undo and press Done again, or give it up in the popup.")
	}
	return made, details, nil
}
