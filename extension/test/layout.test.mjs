// Rule of this file: it tests where the extension places its frames, and which messages about
// them are understood, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { beside, collapsed, placeAt, placed, shifted, stripPlace } = await load("src/page/overlay/layout.ts");
const { FIRST_PANE, isFrameMessage, isPaneMessage, isPaneState } = await load("src/ui/shared/frame-messages.ts");

const view = { width: 1280, height: 800 };
const pane = { width: 340, height: 420 };

test("a corner keeps 12 px", () => {
  // Ensure that each corner is met, whatever is done with the other ones.
  assert.deepEqual(placed(pane, { corner: "top-right" }, view), { left: 928, top: 12, width: 340, height: 420 });
  assert.deepEqual(placed(pane, { corner: "bottom-left" }, view), { left: 12, top: 368, width: 340, height: 420 });
  assert.deepEqual(placed(pane, { corner: "center" }, view), { left: 470, top: 190, width: 340, height: 420 });
});

test("a point keeps within the window", () => {
  // Ensure that 8 px are left at each side, also in a window that is too small.
  for (const [left, top, wantLeft, wantTop] of [[-50, -50, 8, 8], [5000, 5000, 932, 372], [100, 200, 100, 200]]) {
    const area = placed(pane, { left, top, edge: "left" }, view);
    assert.deepEqual([area.left, area.top], [wantLeft, wantTop]);
  }
  assert.deepEqual(placed(pane, { corner: "top-right" }, { width: 200, height: 100 }), { left: 8, top: 8, width: 184, height: 84 });
});

test("a box is changed as another one was", () => {
  // Ensure that what a key did to a box is also done to where a pointer took hold of it.
  const area = (left, top, width, height) => ({ left, top, width, height });
  assert.deepEqual(shifted(area(10, 20, 300, 400), area(50, 60, 300, 400), area(66, 60, 300, 384)), area(26, 20, 300, 384));
});

test("a collapsed pane is a square at its edge and comes back where it was", () => {
  // Ensure that collapsing, moving and expanding bring the pane where the square was put.
  const right = placeAt(900, 100, pane, FIRST_PANE.place, false, view);
  assert.deepEqual(collapsed(pane, right, view), { left: 1198, top: 100, width: 42, height: 42 });
  const moved = placeAt(1100, 200, pane, right, true, view);
  assert.deepEqual(collapsed(pane, moved, view), { left: 1100, top: 200, width: 42, height: 42 });
  assert.deepEqual(placed(pane, moved, view), { left: 802, top: 200, width: 340, height: 420 });
  const left = placeAt(20, 30, pane, right, false, view);
  assert.deepEqual(collapsed(pane, left, view), { left: 20, top: 30, width: 42, height: 42 });
});

test("only whole messages are understood", () => {
  // Ensure that what a page or an older version might send is refused.
  const frame = { kind: "own_frame", key: "k" };
  assert.ok(isFrameMessage({ ...frame, ask: "hello" }));
  assert.ok(isFrameMessage({ ...frame, ask: "drag", what: "move", phase: "end", dx: 1, dy: 2 }));
  assert.ok(isFrameMessage({ ...frame, ask: "step", what: "resize", dx: 16, dy: 0 }));
  assert.ok(!isFrameMessage({ ...frame, ask: "step", what: "turn", dx: 16, dy: 0 }));
  assert.ok(!isFrameMessage({ ...frame, ask: "step", what: "move", dx: 16 }));
  for (const bad of [null, "x", frame, { ...frame, ask: "claim" }, { kind: "own_frame", ask: "hello" }, { ...frame, ask: "drag", what: "move", phase: "end", dx: NaN, dy: 0 }]) {
    assert.ok(!isFrameMessage(bad), JSON.stringify(bad));
  }
  assert.ok(isPaneState(FIRST_PANE) && isPaneMessage({ kind: "pane_state", state: FIRST_PANE }));
  assert.ok(isPaneMessage({ kind: "launcher", id: "a" }) && isPaneMessage({ kind: "pane_restore" }));
  for (const bad of [{ ...FIRST_PANE, width: 10 }, { ...FIRST_PANE, width: 1e9 }, { ...FIRST_PANE, place: { corner: "middle" } }, { ...FIRST_PANE, place: { left: 1, top: 2 } }, { ...FIRST_PANE, open: 1 }]) {
    assert.ok(!isPaneState(bad), JSON.stringify(bad));
  }
  for (const bad of [{ kind: "launcher", id: "" }, { kind: "launcher", id: "x".repeat(301) }, { kind: "ui_claim", tab_id: 1 }]) {
    assert.ok(!isPaneMessage(bad), JSON.stringify(bad));
  }
});

test("beside a frame", () => {
  // Ensure that of the four sides of a frame the one with most of the box is taken, else the largest, and that a frame elsewhere takes nothing away.
  const view = { left: 0, top: 0, width: 1000, height: 800 };
  const pane = { left: 650, top: 12, width: 338, height: 500 };
  const left = { left: 0, top: 0, width: 650, height: 800 };
  const cases = [
    [{ left: 100, top: 100, width: 50, height: 20 }, left],
    [{ left: 600, top: 100, width: 100, height: 20 }, left],
    [{ left: 700, top: 100, width: 50, height: 20 }, left],
    [{ left: 700, top: 500, width: 50, height: 20 }, { left: 0, top: 512, width: 1000, height: 288 }],
    [{ left: 990, top: 100, width: 8, height: 20 }, { left: 988, top: 0, width: 12, height: 800 }],
    [{ left: 700, top: 0, width: 50, height: 11 }, { left: 0, top: 0, width: 1000, height: 12 }],
  ];
  for (const [box, want] of cases) assert.deepEqual(beside(pane, box, view), want, JSON.stringify(box));
  assert.deepEqual(beside({ left: 2000, top: 0, width: 300, height: 300 }, cases[0][0], view), view);
});

test("a strip keeps clear of the frames", () => {
  // Ensure that a strip stays in the middle where nothing is, goes beside a frame that it would meet, and to the other edge where too little room is left.
  const at = (width, edge = "top", frame = { corner: "top-right" }) => stripPlace(edge, [placed(pane, frame, { width, height: 800 })], { width, height: 800 });
  assert.deepEqual(stripPlace("top", [], view), { edge: "top", left: 0, right: 0 });
  assert.deepEqual(at(1280), { edge: "top", left: 0, right: 0 });
  assert.deepEqual(at(1000), { edge: "top", left: 0, right: 352 });
  assert.deepEqual(at(700), { edge: "top", left: 0, right: 352 });
  assert.deepEqual(at(600), { edge: "bottom", left: 0, right: 0 });
  assert.deepEqual(stripPlace("top", [{ left: 152, top: 12, width: 440, height: 780 }], { width: 600, height: 800 }), { edge: "top", left: 0, right: 448 });
  assert.deepEqual(at(1000, "bottom"), { edge: "bottom", left: 0, right: 0 });
  assert.deepEqual(at(1000, "bottom", { corner: "bottom-left" }), { edge: "bottom", left: 352, right: 0 });
  assert.deepEqual(at(1000, "top", { left: 330, top: 12, edge: "left" }), { edge: "bottom", left: 0, right: 0 });
});
