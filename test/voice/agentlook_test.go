package voice

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/jpeg" // the format of the pictures
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
)

// looks returns the items of the pictures that were added, the first picture with the text
// beside it, and the ids of the items that were deleted.
func looks(t *testing.T, events []realtime.Event) (added []string, picture image.Image, beside string, deleted []string) {
	t.Helper()
	for _, e := range events {
		if e.Type == "conversation.item.delete" {
			deleted = append(deleted, e.ItemID)
		}
		if len(e.Item.Content) != 2 || e.Item.Content[1].ImageURL == "" {
			continue
		}
		added, beside = append(added, e.Item.ID), e.Item.Content[0].Text
		_, data, _ := strings.Cut(e.Item.Content[1].ImageURL, ",")
		raw, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			t.Fatal(err)
		}
		if picture, _, err = image.Decode(bytes.NewReader(raw)); err != nil {
			t.Fatal(err)
		}
	}
	return added, picture, beside, deleted
}

// redPixels counts the pixels that are red above all.
func redPixels(img image.Image) (count int) {
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r > 0xb000 && g < 0x5000 && b < 0x5000 {
				count++
			}
		}
	}
	return count
}

func TestAgentIsShownThePage(t *testing.T) {
	// Ensure that after the calls of an answer with an input the model is sent one picture, without the secret that the page shows and with the page's controls beside it, that after reads it is sent none, that a newer picture replaces the former, and that the user's setting ends it.
	t.Parallel()
	k := converse(t)
	k.document("page", k.shop, `(document.body.insertAdjacentHTML("afterbegin", "<input id=secret type=password value=sesame style='position:fixed;z-index:9;left:0;top:0;width:300px;height:200px;border:0;background:red'>"), 1)`)
	harness.Must(t, k.home.Call(t, "page.info", `{}`), nil)
	k.document("page", k.shop, `(document.getElementById("secret").type = "text", 1)`)
	k.write()
	fill := func(id, text string) realtime.Function {
		return tool(id, "locator.fill", `"locator":{"selector":"[name=note]"},"text":"`+text+`"`)
	}
	after := func(calls ...realtime.Function) (added []string, picture image.Image, beside string, deleted []string) {
		t.Helper()
		k.wire.Finish("completed", calls...)
		return looks(t, k.wire.BeginAfter(k.ctx))
	}
	k.says("Fill the note.")
	k.wire.Begin(k.ctx)
	if added, _, _, _ := after(tool("r1", "page.info", ""), tool("r2", "page.snapshot", "")); added != nil {
		t.Errorf("after reads %q were added", added)
	}
	first, picture, beside, deleted := after(fill("f1", "one"), fill("f2", "two"), tool("r3", "page.info", ""))
	if len(first) != 1 || first[0] == "" || deleted != nil {
		t.Fatalf("after an input %q were added, %q deleted", first, deleted)
	}
	before, inside, _, sealed := pagedata.Split(beside)
	if n := redPixels(picture); n != 0 || !sealed || strings.Contains(before, "[ref=") || !strings.Contains(inside, `[ref=`) || strings.Contains(beside, "sesame") {
		t.Errorf("%d pixels of the secret are in the picture, beside it stands %s", n, beside)
	}
	second, _, _, deleted := after(fill("f3", "three"))
	if len(second) != 1 || !slices.Equal(deleted, first) {
		t.Errorf("then %q were added, %q deleted", second, deleted)
	}
	third, picture, _, deleted := after(fill("f4", "four"), tool("s1", "browser.screenshot", `"profile":"compact"`))
	if !slices.Equal(third, []string{""}) || !slices.Equal(deleted, second) || redPixels(picture) == 0 {
		t.Errorf("with a picture of the model's own %q were added, %q deleted", third, deleted)
	}
	if err := os.WriteFile(filepath.Join(k.home.Dir, "data", "agent.json"), []byte(`{"pictures":"off"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if added, _, _, _ := after(fill("f5", "five")); added != nil {
		t.Errorf("with pictures off %q were added", added)
	}
	k.wire.Write("Done.")
	k.wire.Finish("completed")
}
