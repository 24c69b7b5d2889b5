package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // the formats of the pictures
	_ "image/png"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

// shot is a screenshot as the primitive returns it.
type shot struct {
	picture  string // a data URL
	Viewport struct {
		Width            float64 `json:"width"`
		DevicePixelRatio float64 `json:"device_pixel_ratio"`
	}
}

// SetPicture is of [harness.Pictured].
func (s *shot) SetPicture(dataURL string) { s.picture = dataURL }

func (s shot) image(t *testing.T) image.Image {
	t.Helper()
	_, data, _ := strings.Cut(s.picture, ",")
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestScreenshotOfAHiddenTab(t *testing.T) {
	// Ensure that each of two tabs is pictured as itself, whichever is in front, that none of it changes which one is (C26), and that the picture has the pixels of the screen.
	t.Parallel()
	home := harness.NewHome(t)
	solid := func(colour string) string {
		return `<title>` + colour + `</title><style>html,body{background:` + colour + `;margin:0}div{height:3000px}</style><div></div>`
	}
	url, _ := pages(t, map[string]string{"/red": solid("rgb(255,0,0)"), "/blue": solid("rgb(0,0,255)")})
	l := home.OpenWith(t, nil, []string{"--force-device-scale-factor=2"}, url+"/red", url+"/blue")
	front := l.Tabs[0].TabID
	colours := []uint32{255, 0}
	for round := range 3 {
		for i, tab := range l.Tabs[:2] {
			var s shot
			harness.Must(t, home.Call(t, "browser.screenshot", `{"format":"png"}`, onTab(tab.TabID)...), &s)
			img := s.image(t)
			r, _, b, _ := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
			if r>>8 != colours[i] || b>>8 != 255-colours[i] {
				t.Fatalf("round %d, tab %d: red %d blue %d", round, i, r>>8, b>>8)
			}
			if s.Viewport.DevicePixelRatio != 2 || img.Bounds().Dx() != int(2*s.Viewport.Width) {
				t.Errorf("ratio %v, %v pixels for %v", s.Viewport.DevicePixelRatio, img.Bounds(), s.Viewport)
			}
			harness.Must(t, home.Call(t, "browser.screenshot", `{"format":"png","max_width":400}`, onTab(tab.TabID)...), &s)
			if got := s.image(t).Bounds().Dx(); got != 400 {
				t.Errorf("%d pixels wide", got)
			}
			harness.Must(t, home.Call(t, "browser.screenshot", `{"format":"png","full_page":true,"max_height":1000}`, onTab(tab.TabID)...), &s)
			if got := s.image(t).Bounds().Dy(); got != 1000 {
				t.Errorf("%d pixels high", got)
			}
		}
		if !claimedTabs(t, home)[front].Active {
			t.Fatal("a screenshot brought its tab to the front")
		}
		if round == 1 {
			front = l.Tabs[1].TabID
			harness.Must(t, home.Call(t, "browser.claimed_tabs.activate", fmt.Sprintf(`{"tab_id":%d,"focus":true}`, front)), nil)
		}
	}
}
