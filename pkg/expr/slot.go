package expr

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Slot tells whether a string of a workflow is an expression. It is one if the
// whole string, ignoring white space around it, is {% … %}; source is what
// stands between. A string that holds {% or %} otherwise is an error
// (partial_expression_unsupported). Any other string is a literal.
func Slot(text string) (source string, isSlot bool, err error) {
	if !strings.Contains(text, "{%") && !strings.Contains(text, "%}") {
		return "", false, nil
	}
	trimmed := strings.TrimSpace(text)
	inner, opens := strings.CutPrefix(trimmed, "{%")
	inner, closes := strings.CutSuffix(inner, "%}")
	// In {% a %}{% b %} the outer marks do not belong together. A lone %} or {%
	// inside may stand in a string of the expression.
	between, _, two := strings.Cut(inner, "%}")
	two = two && strings.Contains(inner[len(between):], "{%")
	if !opens || !closes || two {
		return "", false, fault.New(fault.PartialExpressionUnsupported,
			"an expression must be the whole string, but %.80q mixes text and {%% … %%}", text)
	}
	return strings.TrimSpace(inner), true, nil
}
