// Rule: a host is as large as it was made, whatever zoom the page gives the elements around it:
// a page that made it a speck would have the user press what they cannot see.

/** A member of Element that TypeScript does not know: the zoom of the element and of all around it. */
interface Zoomed {
  currentCSSZoom?: number;
}

/** Undoes the zoom around a host by a sheet of its shadow root. */
export class Unzoom {
  readonly sheet = new CSSStyleSheet();
  private factor = 1;

  constructor(private readonly host: HTMLElement) {}

  update(): void {
    const around = (this.host.parentElement as Zoomed | null)?.currentCSSZoom ?? 1;
    const factor = around > 0 ? 1 / around : 1;
    if (factor === this.factor) return;
    this.factor = factor;
    this.sheet.replaceSync(`:host { zoom: ${factor} !important; }`);
  }
}
