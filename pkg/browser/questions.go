package browser

import (
	"context"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
)

// questionPagesTimeout bounds the worker's look at its own pages.
const questionPagesTimeout = 5 * time.Second

// ShowsQuestions reports whether a page of the extension is open that can show the user a
// question. An extension that does not answer, or knows no questions, shows none.
func (b *Browser) ShowsQuestions(ctx context.Context) bool {
	pages, err := b.questionPages(ctx)
	return err == nil && pages.Open > 0
}

// ShowsApprovals reports whether something is open that can show the user what a call needs: a page
// of the extension, or the output of the launcher.
func (b *Browser) ShowsApprovals(ctx context.Context) bool {
	pages, err := b.questionPages(ctx)
	return err == nil && max(pages.Open, pages.Approvals) > 0
}

func (b *Browser) questionPages(ctx context.Context) (pages protocol.QuestionPages, err error) {
	ctx, cancel := context.WithTimeout(ctx, questionPagesTimeout)
	defer cancel()
	err = b.call(ctx, protocol.MethodQuestionPages, protocol.Empty{}, &pages)
	return pages, err
}
