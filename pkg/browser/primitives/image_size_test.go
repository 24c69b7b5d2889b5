package primitives

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"testing"
)

// pictures are a PNG and a JPEG of 37 to 21 pixels.
func pictures(t testing.TB) [][]byte {
	t.Helper()
	drawn := image.NewRGBA(image.Rect(0, 0, 37, 21))
	var asPNG, asJPEG bytes.Buffer
	if err := png.Encode(&asPNG, drawn); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, drawn, nil); err != nil {
		t.Fatal(err)
	}
	return [][]byte{asPNG.Bytes(), asJPEG.Bytes()}
}

func TestPictureSize(t *testing.T) {
	// Ensure that width and height are those of the picture, and that what is cut off or is none is refused.
	for _, data := range pictures(t) {
		if width, height, err := imageSize(data); err != nil || width != 37 || height != 21 {
			t.Errorf("%d to %d, %v", width, height, err)
		}
		if _, _, err := imageSize(data[:16]); err == nil {
			t.Error("a picture that is cut off has a size")
		}
	}
	for _, none := range []string{"", "<svg/>", "\xff\xd8", "\xff\xd8\xff\xc0\x00\x03\x08", "\xff\xd8\xff\xe0\x00\x00"} {
		if _, _, err := imageSize([]byte(none)); err == nil {
			t.Errorf("%q has a size", none)
		}
	}
}

func FuzzPictureSize(f *testing.F) {
	// Ensure that no bytes break the reader, and that a picture that the standard library can read has the same size here.
	for _, data := range pictures(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		width, height, err := imageSize(data)
		config, format, known := image.DecodeConfig(bytes.NewReader(data))
		if known != nil || format == "jpeg" && err != nil { // the library skips stray bytes between segments
			return
		}
		if err != nil || width != config.Width || height != config.Height {
			t.Errorf("%d to %d (%v), not %d to %d", width, height, err, config.Width, config.Height)
		}
	})
}
