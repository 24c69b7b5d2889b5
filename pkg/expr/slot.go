package expr

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Slot reports whether a string of a workflow is an expression. It is one if the
// whole string, ignoring white space around it, is {% … %}; source is the text
// between. A string with {% or %} elsewhere is an error
// (partial_expression_unsupported). Any other string is a literal.
func Slot(text string) (source string, isSlot bool, err error) {
	if !strings.Contains(text, "{%") && !strings.Contains(text, "%}") {
		return "", false, nil
	}
	trimmed := strings.TrimSpace(text)
	inner, opens := strings.CutPrefix(trimmed, "{%")
	inner, closes := strings.CutSuffix(inner, "%}")
	// In {% a %}{% b %} the outer marks do not belong together. A lone %} or {%
	// inside may be in a string literal of the expression.
	between, _, several := strings.Cut(inner, "%}")
	several = several && strings.Contains(inner[len(between):], "{%")
	if !opens || !closes || several {
		return "", false, fault.New(fault.PartialExpressionUnsupported,
			"an expression must be the whole string, but %.80q mixes text and {%% … %%}", text)
	}
	return strings.TrimSpace(inner), true, nil
}
