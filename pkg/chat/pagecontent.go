package chat

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/actionsjson/actions-host/pkg/truncate"
)

// DefaultSummaryLimit is how much of a summary is used, in characters, unless the user sets another.
const DefaultSummaryLimit = 8_000

// PageContent is what is known of a page's content.
type PageContent struct {
	Summary      string // in Markdown
	SummaryLimit int    // 0: DefaultSummaryLimit
	Transcript   []Line // of the page's media; comes before Text
	Text         string // as page.read returns it
	Metadata     Metadata
}

// Line is a line of a transcript.
type Line struct {
	Start time.Duration
	Text  string
}

// Metadata is where a page's content comes from. "" and 0 are shown as "none".
type Metadata struct {
	URL, Title         string
	Source             string // page or url
	Extraction         string // how the text was found
	MarkdownProvider   string
	Firecrawl          string
	TranscriptProvider string
	TranscriptCache    string
	MediaDuration      time.Duration
	// Truncated is set where the text was cut before it came here.
	Truncated bool
}

// String returns the content as a model reads it, in at most [MaxPageContent] characters: what
// is known of it comes first, so that no length of the text can cut it off.
func (c PageContent) String() string {
	summaryLimit := min(c.SummaryLimit, MaxPageContent/2)
	if summaryLimit <= 0 {
		summaryLimit = DefaultSummaryLimit
	}
	summary := firstCharacters(c.Summary, summaryLimit)
	heading, body, words := "Text", c.Text, countWords(c.Text)
	if len(c.Transcript) > 0 {
		heading = "Transcript"
		body, words = transcript(c.Transcript)
	}
	head := c.head(summary, words, heading, true)
	shown := firstCharacters(body, MaxPageContent-len([]rune(head))-len(truncationMark))
	cut := len(shown) < len(body)
	text := c.head(summary, words, heading, cut) + orNone(shown)
	if cut {
		text += truncationMark
	}
	return text
}

const truncationMark = "\n[cut here]"

// head returns all but the text itself.
func (c PageContent) head(summary string, words int, heading string, cut bool) string {
	m := c.Metadata
	duration := ""
	if m.MediaDuration > 0 {
		duration = clock(m.MediaDuration)
	}
	var b strings.Builder
	b.WriteString("## Metadata\n")
	for _, row := range []struct{ name, value string }{
		{"URL", oneLine(m.URL, maxURL)}, {"title", oneLine(m.Title, maxTitle)}, {"source", m.Source}, {"extraction strategy", m.Extraction},
		{"Markdown provider", m.MarkdownProvider}, {"Firecrawl", m.Firecrawl}, {"transcript provider", m.TranscriptProvider},
		{"transcript cache", m.TranscriptCache}, {"media duration", duration},
		{"words of the summary", count(countWords(c.Summary))}, {"words of the text", count(words)},
		{"summary truncated", yesOrNo(len(summary) < len(c.Summary))}, {"text truncated", yesOrNo(cut || m.Truncated)},
	} {
		fmt.Fprintf(&b, "- %s: %s\n", row.name, orNone(truncate.Characters(row.value, maxURL)))
	}
	fmt.Fprintf(&b, "\n## Summary\n%s\n\n## %s\n", orNone(summary), heading)
	return b.String()
}

// transcript returns the lines with their times, and their words. Lines that cannot be shown
// any more are counted only.
func transcript(lines []Line) (string, int) {
	var b strings.Builder
	words := 0
	for _, line := range lines {
		words += countWords(line.Text)
		if b.Len() <= 4*MaxPageContent { // bytes: a character has at most four
			fmt.Fprintf(&b, "[%s] %s\n", clock(line.Start), strings.TrimSpace(line.Text))
		}
	}
	return b.String(), words
}

// clock returns a time as m:ss or h:mm:ss.
func clock(d time.Duration) string {
	seconds := int(max(0, d) / time.Second)
	if hours := seconds / 3600; hours > 0 {
		return fmt.Sprintf("%d:%02d:%02d", hours, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

func countWords(text string) int {
	words, inside := 0, false
	for _, r := range text {
		space := unicode.IsSpace(r)
		if !space && !inside {
			words++
		}
		inside = !space
	}
	return words
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func yesOrNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
