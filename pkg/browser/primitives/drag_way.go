package primitives

import "math"

// maxPathStep is the length of a move between two points of a path, in pixels.
const maxPathStep = 40

// dragStartDistances are small, in pixels: pages and the browser take a press for a drag
// only after some way, and some count the moves.
var dragStartDistances = []float64{2, 4, 7, 12}

// towards returns the point that many pixels from the first towards the second, or to its right
// if both are the same.
func towards(from, to point, pixels float64) point {
	length := math.Hypot(to.X-from.X, to.Y-from.Y)
	if length < 1 {
		return point{from.X + pixels, from.Y}
	}
	return between(from, to, min(1, pixels/length))
}

func between(from, to point, fraction float64) point {
	return point{from.X + (to.X-from.X)*fraction, from.Y + (to.Y-from.Y)*fraction}
}

// dragWay returns the points of the moves: so many on the straight way, or those of the path
// after its first.
func dragWay(from, to point, steps int, path []point) []point {
	var way []point
	for i := 1; i <= steps && len(path) == 0; i++ {
		way = append(way, between(from, to, float64(i)/float64(steps)))
	}
	for i := 1; i < len(path); i++ {
		pieces := int(math.Ceil(math.Hypot(path[i].X-path[i-1].X, path[i].Y-path[i-1].Y) / maxPathStep))
		pieces = max(1, min(pieces, defaultDragSteps))
		for j := 1; j <= pieces; j++ {
			way = append(way, between(path[i-1], path[i], float64(j)/float64(pieces)))
		}
	}
	return append(way, to)
}

// mouseMoveSteps returns the moves, one per animation frame, as sortable lists measure in
// between.
func mouseMoveSteps(m mouse, way []point, release []command) []step {
	moves := make([]step, len(way))
	for i, at := range way {
		moves[i] = step{commands: []command{m.move(at, true)}, release: release}
	}
	return moves
}
