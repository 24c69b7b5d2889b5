package pagemodel

import "context"

// maxSnapshotChars is how much text of the page a report keeps.
const maxSnapshotChars = 2_000

// evidence collects what on_fail asks for. What cannot be read is listed, so that it
// does not seem to have been stored.
func (r checkRun) evidence(ctx context.Context, l *pageReader, result *CheckResult) {
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
	if found := l.alternates(ctx, fail.AlternateSelectors); len(found) > 0 {
		kept["alternate_selectors"] = found
	}
	if len(kept) > 0 {
		result.Evidence = kept
	}
}

// alternates reports which of the author's alternate selectors match: usually the
// repair of the map.
func (l *pageReader) alternates(ctx context.Context, selectors []string) map[string]bool {
	found := map[string]bool{}
	for _, selector := range selectors {
		if e, err := l.target(ctx, Target{Selector: selector}); err == nil {
			found[selector] = e.Found
		}
	}
	return found
}
