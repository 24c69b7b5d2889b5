package profile

import (
	"context"
	"errors"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// Claim records that the user handed the tab over.
func (p *profile) Claim(ctx context.Context, tab protocol.Tab) ([]int, error) {
	if !origin.Operable(tab.URL) {
		return nil, fault.New(fault.RestrictedPage, "%s cannot be operated: only http and https pages can", tab.URL)
	}
	if err := p.tabs.Claim(browser.FromProtocol(tab)); err != nil {
		return nil, err
	}
	go p.refreshAgents()
	return p.claims(), p.appendRecord(ctx, journal.TypeClaim, tab)
}

// Release ends a claim, also on an error.
func (p *profile) Release(ctx context.Context, tabID int, reason string) ([]int, error) {
	err := p.tabs.Release(tabID)
	go p.refreshAgents()
	p.withdrawQuestions()
	logged := p.appendRecord(ctx, journal.TypeRelease, protocol.ReleaseParams{TabID: tabID, Reason: reason})
	return p.claims(), errors.Join(err, logged)
}

func (p *profile) claims() []int {
	var ids []int
	for _, t := range p.tabs.List() {
		ids = append(ids, t.TabID)
	}
	return ids
}

// TabChanged, RuntimeReady and RuntimeRemoved keep the registry right.
func (p *profile) TabChanged(tab protocol.Tab) {
	known, _ := p.tabs.Get(tab.TabID)
	if p.tabs.Update(browser.FromProtocol(tab)) && known.URL != tab.URL {
		p.withdrawQuestions()
		p.observe(tab.TabID) // an address of the same document may have other maps
		p.navigated(tab.TabID)
	}
}

// withdrawQuestions ends the questions whose page is gone. The log may wait for the disk, the
// extension's messages may not.
func (p *profile) withdrawQuestions() {
	p.withdrawing.do(struct{}{}, func() {
		p.logError("withdrawing questions", p.dispatcher.WithdrawQuestions(context.Background()))
	})
}

// RuntimeReady records the tab's new document.
func (p *profile) RuntimeReady(tabID int, runtimeID string) {
	if p.tabs.SetRuntime(tabID, runtimeID) {
		p.observe(tabID)
	}
}

// RuntimeRemoved removes a document that has ended.
func (p *profile) RuntimeRemoved(tabID int, runtimeID string) {
	p.tabs.RemoveRuntime(tabID, runtimeID)
}
