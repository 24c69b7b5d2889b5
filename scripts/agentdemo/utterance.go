package main

import (
	"encoding/binary"
	"math"
)

// utteranceWAV is a sound with the rhythm of a short sentence, for a microphone
// that plays a file: syllables of a voice's pitch and formants, then a pause.
func utteranceWAV() []byte {
	const rate, syllables, pause = 48_000, 9, 1.5 // Hz, count, seconds
	const syllable = 0.22                         // seconds
	samples := make([]int16, 0, int(rate*(syllables*syllable+pause)))
	for n := range syllables {
		pitch := 130 + 15*math.Sin(float64(n))
		for i := range int(rate * syllable) {
			t := float64(i) / rate
			swell := math.Sin(math.Pi * t / syllable)
			tone := 0.0
			for harmonic := 1.0; harmonic <= 12; harmonic++ {
				f := harmonic * pitch
				tone += math.Exp(-math.Pow((f-700)/500, 2)) * math.Sin(2*math.Pi*f*t)
			}
			samples = append(samples, int16(4000*swell*tone))
		}
	}
	samples = append(samples, make([]int16, int(rate*pause))...)
	size := uint32(2 * len(samples))
	wav := []byte("RIFF")
	wav = binary.LittleEndian.AppendUint32(wav, 36+size)
	wav = append(wav, "WAVEfmt "...)
	wav = binary.LittleEndian.AppendUint32(wav, 16)
	wav = binary.LittleEndian.AppendUint16(wav, 1) // PCM
	wav = binary.LittleEndian.AppendUint16(wav, 1) // one channel
	wav = binary.LittleEndian.AppendUint32(wav, rate)
	wav = binary.LittleEndian.AppendUint32(wav, 2*rate)
	wav = binary.LittleEndian.AppendUint16(wav, 2)
	wav = binary.LittleEndian.AppendUint16(wav, 16)
	wav = append(wav, "data"...)
	wav = binary.LittleEndian.AppendUint32(wav, size)
	for _, s := range samples {
		wav = binary.LittleEndian.AppendUint16(wav, uint16(s))
	}
	return wav
}
