package primitives

import (
	"bytes"
	"encoding/binary"
	"errors"
)

var errUnknownFormat = errors.New("neither a PNG nor a JPEG")

// imageSize returns the size of a PNG or JPEG from its header. The decoders of the standard
// library would add two hundred kilobytes to the program for it.
func imageSize(data []byte) (width, height int, err error) {
	switch {
	case len(data) >= 24 && bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")) && string(data[12:16]) == "IHDR":
		return int(binary.BigEndian.Uint32(data[16:])), int(binary.BigEndian.Uint32(data[20:])), nil
	case bytes.HasPrefix(data, []byte{0xff, 0xd8}):
		return jpegSize(data[2:])
	}
	return 0, 0, errUnknownFormat
}

// jpegSize walks over the segments to the one that begins the frame.
func jpegSize(data []byte) (width, height int, err error) {
	for len(data) >= 4 && data[0] == 0xff {
		if data[1] == 0xff { // filling
			data = data[1:]
			continue
		}
		length := int(binary.BigEndian.Uint16(data[2:]))
		if length < 2 || len(data) < 2+length {
			break
		}
		// C0 to CF begin frames, save three that hold tables.
		if kind := data[1]; kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc {
			if length < 7 {
				break
			}
			return int(binary.BigEndian.Uint16(data[7:])), int(binary.BigEndian.Uint16(data[5:])), nil
		}
		data = data[2+length:]
	}
	return 0, 0, errUnknownFormat
}
