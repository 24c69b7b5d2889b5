package pagemodel

// Status is the result of a check.
type Status string

// The statuses. Unknown and skipped are not failures.
const (
	Passed    Status = "passed"
	Failed    Status = "failed"
	Undecided Status = "unknown"
	Skipped   Status = "skipped"
)

// CheckResult is one check with its evidence.
type CheckResult struct {
	ID          string         `json:"id"`
	Description string         `json:"description,omitempty"`
	Severity    Severity       `json:"severity"`
	Status      Status         `json:"status"`
	Reason      string         `json:"reason,omitempty"`
	Assertions  []Result       `json:"assertions,omitempty"`
	Setup       []StepResult   `json:"setup,omitempty"`
	Steps       []StepResult   `json:"steps,omitempty"`
	Evidence    map[string]any `json:"evidence,omitempty"` // what on_fail asks to keep
	Contingency string         `json:"contingency,omitempty"`
}

// StepResult is one action that a check ran, or one primitive of its setup.
type StepResult struct {
	Tool      string `json:"tool,omitempty"`
	Primitive string `json:"primitive,omitempty"`
	OK        bool   `json:"ok"`
	Error     string `json:"error,omitempty"` // code and message
}

// Report is the result of one map's checks. OK is false when a major or a
// critical check failed.
type Report struct {
	OK       bool          `json:"ok"`
	Passed   int           `json:"passed"`
	Failed   int           `json:"failed"`
	Unknown  int           `json:"unknown"`
	Skipped  int           `json:"skipped"`
	Checks   []CheckResult `json:"checks"`
	States   []StateResult `json:"states,omitempty"`
	Problems []Problem     `json:"problems,omitempty"`
}

func (r *Report) add(c CheckResult) {
	r.Checks = append(r.Checks, c)
	switch c.Status {
	case Passed:
		r.Passed++
	case Failed:
		r.Failed++
		r.OK = r.OK && c.Severity != Major && c.Severity != Critical
	case Skipped:
		r.Skipped++
	default:
		r.Unknown++
	}
}

// PageReport is the result of the checks of all maps of a page.
type PageReport struct {
	OK   bool        `json:"ok"`
	URL  string      `json:"url"`
	Maps []MapReport `json:"maps"`
}

// MapReport is one map's report.
type MapReport struct {
	Map string `json:"map"` // path in storage
	Report
	Support  Support        `json:"support,omitzero"`
	Locators *LocatorReport `json:"locators,omitempty"`
}
