// Rule: a strip at the edge of the view says what goes on in the page. It is no part of the
// page: a closed shadow root, in no picture and no reading. Its buttons take the pointer
// alone, so that no key of an agent reaches them. It keeps clear of the pane and the report.

import { EXTENSION_ATTRIBUTE } from "../dom/extension-elements";
import { buildClosedLayer, type ClosedLayer, HiddenForPicture } from "./closed-layer";
import { frameAreas } from "./clip";
import { watchFrames } from "./frame";
import { OverlayGuard } from "./guard";
import { type StripPlace, stripPlace } from "./layout";

const styleOf = (gap: string): string => `
:host { all: initial !important; position: fixed !important; margin: 0 auto !important; z-index: 2147483647 !important;
  display: flex !important; flex-wrap: wrap !important; align-items: center !important; gap: ${gap} !important; box-sizing: border-box !important; width: fit-content !important;
  max-width: calc(var(--room) - 16px) !important; padding: 6px 6px 6px 14px !important; border-radius: 10px !important; color-scheme: light dark !important;
  font: 500 13px/1.4 system-ui, sans-serif !important; color: #fff !important; background: #171b26 !important; visibility: visible !important; opacity: 1 !important;
  box-shadow: 0 0 0 1px rgb(255 255 255 / .35), 0 4px 16px rgb(0 0 0 / .3) !important; transition: none !important; animation: none !important; transform: none !important; }
span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
button { all: initial; flex: none; box-sizing: border-box; min-height: 28px; border-radius: 7px; cursor: pointer;
  font: 600 13px/1.4 system-ui, sans-serif; color: #fff; }`;

const placeStyle = ({ edge, left, right }: StripPlace): string => `
:host { inset: ${edge === "top" ? "8px" : "auto"} ${right}px ${edge === "top" ? "auto" : "8px"} ${left}px !important; --room: calc(100% - ${left + right}px) !important; }`;

/** A strip on the page, with what is in it. */
interface Shown<Elements> extends ClosedLayer {
  elements: Elements;
  place: CSSStyleSheet;
  unwatch: () => void;
  /** Applies while the pointer goes through. */
  passThrough: CSSStyleSheet;
  guard: OverlayGuard;
}

export class Strip<Elements> {
  private shown: Shown<Elements> | undefined;
  private passThroughCount = 0;
  private readonly picture = new HiddenForPicture(() => this.shown?.guard.check());

  /** gap is between what is in it; fill puts the elements into a new strip. */
  constructor(
    private readonly id: string,
    private readonly edge: StripPlace["edge"],
    private readonly gap: string,
    private readonly style: string,
    private readonly fill: (root: ShadowRoot) => Elements,
  ) {}

  /** Shows the strip, and has its elements drawn. */
  show(draw: (elements: Elements) => void): void {
    this.shown ??= this.build();
    draw(this.shown.elements);
    this.shown.guard.check();
  }

  /** Has the elements changed, if there is a strip. */
  change(draw: (elements: Elements) => void): void {
    if (this.shown) draw(this.shown.elements);
  }

  /** Removes the strip. */
  remove(): void {
    this.shown?.unwatch();
    this.shown?.guard.stop();
    this.shown?.host.remove();
    this.shown = undefined;
    this.passThroughCount = 0;
  }

  /** Hides the strip while a picture is taken; reports whether it was shown. */
  hide(): boolean {
    const shown = this.shown !== undefined && !this.picture.hidden;
    this.picture.hide();
    return shown;
  }

  /** Shows the strip again, if it still has something to say. */
  unhide(): void {
    this.picture.unhide();
  }

  /** Lets the pointer through, until called with false as many times; reports whether there is a strip. */
  setPassThrough(on: boolean): boolean {
    if (!this.shown) return false;
    const { root, sheet, place, passThrough, guard } = this.shown;
    this.passThroughCount += on ? 1 : -1;
    root.adoptedStyleSheets = [sheet, place, guard.unzoom.sheet, ...(this.passThroughCount > 0 ? [passThrough] : [])];
    return true;
  }

  private build(): Shown<Elements> {
    const layer = buildClosedLayer(this.id, styleOf(this.gap) + this.style);
    const { host, root } = layer;
    const [place, passThrough] = [new CSSStyleSheet(), new CSSStyleSheet()];
    passThrough.replaceSync(":host { pointer-events: none !important; }");
    // The page's own listeners must not take it for a click on their element.
    for (const type of ["click", "auxclick", "mousedown", "mouseup", "pointerdown", "pointerup"]) host.addEventListener(type, (event) => event.stopPropagation());
    host.addEventListener("mousedown", (event) => event.preventDefault()); // the page keeps the focus
    const elements = this.fill(root);
    document.documentElement.append(host);
    const guard = new OverlayGuard(host, [EXTENSION_ATTRIBUTE, "popover"], () => !this.picture.hidden, () => this.passThroughCount === 0, () => {});
    root.adoptedStyleSheets = [layer.sheet, place, guard.unzoom.sheet];
    const move = (): void => place.replaceSync(placeStyle(stripPlace(this.edge, frameAreas(), { width: innerWidth, height: innerHeight })));
    move();
    return { ...layer, elements, place, unwatch: watchFrames(move), passThrough, guard };
  }
}

/** Returns a button of a strip. A press of the user's own pointer sends the worker the message for its point. */
export function stripButton(message: (at: { x: number; y: number }) => object): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.tabIndex = -1;
  made.addEventListener("click", ({ isTrusted, detail, clientX, clientY }) => {
    if (isTrusted && detail > 0 && chrome.runtime?.id) chrome.runtime.sendMessage(message({ x: clientX, y: clientY })).catch(() => {});
  });
  return made;
}
