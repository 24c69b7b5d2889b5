package conformance

// twoTracks is a video with German captions and English ones in a file, neither of them shown.
const twoTracks = `<html lang=en><video><track kind=captions srclang=de src="data:text/vtt,WEBVTT%0A%0A00:00.000 --> 00:01.000%0AGuten Tag">
	<track kind=captions srclang=en src="data:text/vtt,WEBVTT%0A%0A00:01.500 --> 00:03.000%0A<b>Good</b> day%0A%0A01:02.000 --> 01:03.000%0AAnd tea"></video>`

// longTrack has more cues than one answer holds.
const longTrack = `<video></video><script>
	const track = document.querySelector("video").addTextTrack("subtitles", "English", "en");
	for (let i = 0; i < 300; i++) track.addCue(new VTTCue(i, i + 1, "Cue " + i + " " + "x".repeat(60)));
	track.mode = "disabled";</script>`

func pageTranscriptCases() []Case {
	return []Case{
		{Name: "page.transcript/gives the cues with their times", HTML: twoTracks, Run: func(p *Page) {
			out := p.ok("page.transcript", `{}`)
			p.is(out, "language", `"en"`)
			p.is(out, "media_count", `1`)
			p.is(out, "cue_count", `2`)
			p.is(out, "cues.0.start", `1.5`)
			p.is(out, "cues.0.text", `"Good day"`)
			p.is(out, "cues.1.start", `62`)
			p.page(`[...document.querySelector("video").textTracks].map(t => t.mode)`, `["disabled","disabled"]`)
		}},
		{Name: "page.transcript/prefers the shown track, then the page's language", HTML: twoTracks, Run: func(p *Page) {
			p.eval(`document.querySelector("video").textTracks[0].mode = "showing"`)
			out := p.ok("page.transcript", `{}`)
			p.is(out, "language", `"de"`)
			p.is(out, "cues.0.text", `"Guten Tag"`)
		}},
		{Name: "page.transcript/reads on, and says where there is none", HTML: longTrack, Run: func(p *Page) {
			out := p.ok("page.transcript", `{}`)
			p.is(out, "cue_count", `300`)
			p.is(out, "truncated", `true`)
			out = p.ok("page.transcript", `{"offset":290}`)
			p.is(out, "cues.0.start", `290`)
			p.is(out, "truncated", `false`)
			p.eval(`document.querySelector("video").remove()`)
			out = p.ok("page.transcript", `{}`)
			p.is(out, "cue_count", `0`)
			p.is(out, "media_count", `0`)
		}},
	}
}
