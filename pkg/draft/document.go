package draft

import "github.com/actionsjson/actions-host/pkg/pagemodel"

// The types below are the written map; their fields are in the order of the text.

type document struct {
	Protocol    string       `json:"protocol"`
	Version     int          `json:"version"`
	Surface     about        `json:"surface"`
	Prompt      prompt       `json:"prompt"`
	Requires    requires     `json:"requires"`
	States      []state      `json:"states,omitempty"`
	Tools       []tool       `json:"tools"`
	Projections []projection `json:"state_projections"`
	Checks      []check      `json:"checks,omitempty"`
	Notes       []string     `json:"notes,omitempty"`
	Provenance  provenance   `json:"provenance"`
}

type about struct {
	Origin      string `json:"origin"`
	Name        string `json:"name"`
	ObservedURL string `json:"observed_url"`
}

type prompt struct {
	Title        string `json:"title"`
	Instructions string `json:"instructions"`
}

type requires struct {
	Dictionary dictionary `json:"primitive_dictionary"`
	PageTools  []string   `json:"page_tools,omitempty"`
}

type dictionary struct {
	Required []string `json:"required_primitives"`
}

type state struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Diagnostics []named `json:"diagnostics"`
}

type check struct {
	ID          string             `json:"id"`
	Description string             `json:"description"`
	Severity    pagemodel.Severity `json:"severity"`
	Assertions  []inState          `json:"assertions"`
	OnFail      onFail             `json:"on_fail"`
}

// inState asserts that a declared state holds, whose list of targets it does not repeat.
type inState struct {
	State string `json:"state"`
}

type onFail struct {
	StoreEvidence []string `json:"store_evidence"`
}

type provenance struct {
	CreatedBy  string `json:"created_by"`
	CreatedAt  string `json:"created_at"`
	ReviewedBy string `json:"reviewed_by"`
	Source     string `json:"source"`
}

// tool is one action: static, or a workflow.
type tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema any            `json:"input_schema"`
	Target      *target        `json:"target,omitempty"`
	Workflow    *workflow      `json:"workflow,omitempty"`
	Extra       *extra         `json:"x_actions,omitempty"`
	Provenance  toolProvenance `json:"provenance"`
}

type extra struct {
	StaticOutput any `json:"static_output"`
}

type toolProvenance struct {
	CreatedBy  string `json:"created_by"`
	ReviewedBy string `json:"reviewed_by"` // empty until reviewed
	Note       string `json:"note"`
}

type inputSchema struct {
	Type       string              `json:"type"`
	Required   []string            `json:"required,omitempty"`
	Properties map[string]property `json:"properties"`
	Additional bool                `json:"additionalProperties"`
}

type property struct {
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
	MaxLength   int    `json:"maxLength,omitempty"`
}

// target is a locator that matched exactly one element.
type target struct {
	Selector string `json:"selector,omitempty"`
	Role     string `json:"role,omitempty"`
	Name     string `json:"name,omitempty"`
}

type workflow struct {
	Version  int    `json:"version"`
	Language string `json:"expression_language"`
	Steps    []step `json:"steps"`
	Output   string `json:"output"`
}

type step struct {
	ID          string         `json:"id"`
	When        string         `json:"when,omitempty"`
	Primitive   string         `json:"primitive"`
	Args        map[string]any `json:"args,omitempty"`
	RetryUntil  string         `json:"retry_until,omitempty"`
	MaxAttempts int            `json:"max_attempts,omitempty"`
	AfterEach   *after         `json:"after_each,omitempty"`
	SettleAfter map[string]any `json:"settle_after,omitempty"`
	OnError     string         `json:"on_error,omitempty"`
}

// after is what runs between two attempts.
type after struct {
	Primitive string         `json:"primitive"`
	Args      map[string]any `json:"args"`
}

type projection struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Snapshot    snapshot  `json:"snapshot"`
	Summaries   []summary `json:"summaries"`
}

type snapshot struct {
	Version    int         `json:"version"`
	Source     string      `json:"source"`
	Extract    []extractor `json:"extract"`
	Projection expression  `json:"projection"`
}

type expression struct {
	Language   string `json:"language"`
	Expression string `json:"expression"`
}

type summary struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
	MaxBytes   int    `json:"max_bytes"`
}

// extractor is an extractor of state.extract, or a field of one.
type extractor struct {
	ID        string               `json:"id,omitempty"`
	Selector  string               `json:"selector,omitempty"`
	Closest   string               `json:"closest,omitempty"`
	Attribute string               `json:"attribute,omitempty"`
	Property  string               `json:"property,omitempty"`
	Many      *bool                `json:"many,omitempty"`
	Trim      bool                 `json:"trim,omitempty"`
	Fields    map[string]extractor `json:"fields,omitempty"`
}
