package tabs

import "errors"

// Observer is notified of claims and releases, by those who keep something of a tab. A
// nil function is not called.
type Observer struct {
	// BeforeClaim is called before a claim is recorded: the ID may have been another
	// tab's, in an earlier run of the browser. An error prevents the claim,
	// and the observers that follow are not called.
	BeforeClaim func(tabID int) error
	// AfterRelease is called when a claim has ended, and for a tab that was not claimed. An
	// error keeps no other observer from being called.
	AfterRelease func(tabID int) error
}

// Observe adds an observer, after those that were added before. All are added before
// the first claim.
func (r *Registry) Observe(o Observer) { r.observers = append(r.observers, o) }

func (r *Registry) beforeClaim(tabID int) error {
	for _, o := range r.observers {
		if o.BeforeClaim == nil {
			continue
		}
		if err := o.BeforeClaim(tabID); err != nil {
			return err
		}
	}
	return nil
}

func (r *Registry) afterRelease(tabID int) error {
	var failed []error
	for _, o := range r.observers {
		if o.AfterRelease != nil {
			failed = append(failed, o.AfterRelease(tabID))
		}
	}
	return errors.Join(failed...)
}
