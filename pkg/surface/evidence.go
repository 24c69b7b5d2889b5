package surface

import "context"

// maxSnapshotChars is how much text of the page a report keeps.
const maxSnapshotChars = 2_000

// evidence collects what on_fail asks for. What cannot be had is named, so that
// nobody takes it for kept.
func (r checkRun) evidence(ctx context.Context, l *look, result *CheckResult) {
	fail := r.check.OnFail
	result.Contingency = fail.Contingency
	kept := map[string]any{}
	var missing []string
	for _, what := range fail.StoreEvidence {
		var err error
		switch what {
		case "url", "title":
			var at pageInfo
			at, err = l.page(ctx)
			kept[what] = map[string]string{"url": at.URL, "title": at.Title}[what]
		case "dom_snapshot", "text":
			var out struct {
				Text string `json:"text"`
			}
			err = l.call(ctx, "dom.snapshot_text", map[string]any{"max_chars": maxSnapshotChars}, &out)
			kept[what] = out.Text
		default:
			missing = append(missing, what)
		}
		if err != nil {
			delete(kept, what)
			missing = append(missing, what)
		}
	}
	if len(missing) > 0 {
		kept["not_kept"] = missing
	}
	if there := l.alternates(ctx, fail.AlternateSelectors); len(there) > 0 {
		kept["alternate_selectors"] = there
	}
	if len(kept) > 0 {
		result.Evidence = kept
	}
}

// alternates tells which of the selectors that the author keeps in reserve find
// something: the repair of the map, as a rule.
func (l *look) alternates(ctx context.Context, selectors []string) map[string]bool {
	there := map[string]bool{}
	for _, selector := range selectors {
		if e, err := l.target(ctx, Target{Selector: selector}); err == nil {
			there[selector] = e.Found
		}
	}
	return there
}
