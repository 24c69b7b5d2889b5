package surface

// Status is what a check came to.
type Status string

// The statuses. Unknown and skipped are no failures.
const (
	Passed    Status = "passed"
	Failed    Status = "failed"
	Undecided Status = "unknown"
	Skipped   Status = "skipped"
)

// CheckResult is one check with what was seen.
type CheckResult struct {
	ID          string         `json:"id"`
	Description string         `json:"description,omitempty"`
	Severity    Severity       `json:"severity"`
	Status      Status         `json:"status"`
	Reason      string         `json:"reason,omitempty"`
	Assertions  []Result       `json:"assertions,omitempty"`
	Steps       []StepResult   `json:"steps,omitempty"`
	Evidence    map[string]any `json:"evidence,omitempty"` // what on_fail asks to keep
	Contingency string         `json:"contingency,omitempty"`
}

// StepResult is one action that a check ran.
type StepResult struct {
	Tool  string `json:"tool"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"` // code and message
}

// Report is what the checks of one map came to. OK is false when a major or a
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

// PageReport is what the checks of all maps of a page came to.
type PageReport struct {
	OK   bool        `json:"ok"`
	URL  string      `json:"url"`
	Maps []MapReport `json:"maps"`
}

// MapReport is one map's report.
type MapReport struct {
	Map string `json:"map"` // path in storage
	Report
	Support Support `json:"support,omitzero"`
}
