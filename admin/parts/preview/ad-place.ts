/** Where an ad is on a picture, and how it is changed. */
export interface PlacedAd {
  readonly picture: string;
  /** Of the picture, for screen readers. */
  readonly title: string;
  /** In pixels of the picture; undefined: not placed yet. */
  readonly place: { readonly left: number; readonly top: number; readonly width: number } | undefined;
  /** Width by height of the ad. */
  readonly ratio: number;
  readonly onChange: (place: { readonly left: number; readonly top: number; readonly width: number }) => void;
}

/** A shorter drag is a click: the ad keeps its width. */
const MIN_DRAG = 6;

/** `<ad-place .placed=${placed}>`: a picture of a page on which the ad is drawn: dragged open, or moved by a click. */
class AdPlace extends HTMLElement {
  #placed: PlacedAd | undefined;
  readonly #picture = new Image();
  readonly #ad = document.createElement('div');

  set placed(placed: PlacedAd) {
    const isOther = placed.picture !== this.#placed?.picture;
    this.#placed = placed;
    if (isOther) this.#picture.src = placed.picture;
    this.#picture.alt = placed.title;
    this.#fit();
  }

  connectedCallback(): void {
    this.#ad.className = 'ad-place';
    this.#picture.draggable = false;
    this.#picture.addEventListener('load', () => this.#fit());
    this.addEventListener('pointerdown', (down) => this.#drag(down));
    this.replaceChildren(this.#picture, this.#ad);
    this.#fit();
  }

  #drag(down: PointerEvent): void {
    const { naturalWidth } = this.#picture;
    if (!this.#placed || naturalWidth === 0) return;
    down.preventDefault();
    this.setPointerCapture(down.pointerId);
    const { left, top, width } = this.#picture.getBoundingClientRect();
    const perPixel = naturalWidth / width;
    const from = { x: down.clientX - left, y: down.clientY - top };
    const move = ({ clientX }: PointerEvent): void => {
      const dragged = clientX - left - from.x;
      const kept = this.#placed?.place?.width ?? naturalWidth / 4;
      this.#placed?.onChange({
        left: Math.max(0, Math.round(from.x * perPixel)),
        top: Math.max(0, Math.round(from.y * perPixel)),
        width: dragged < MIN_DRAG ? kept : Math.round(dragged * perPixel),
      });
    };
    move(down);
    this.addEventListener('pointermove', move);
    this.addEventListener('lostpointercapture', () => this.removeEventListener('pointermove', move), { once: true });
  }

  /** Through the object model: the page's policy refuses style attributes. */
  #fit(): void {
    const { naturalWidth, naturalHeight } = this.#picture;
    const { place, ratio = 1 } = this.#placed ?? {};
    this.#ad.hidden = naturalWidth === 0 || place === undefined;
    if (!place || naturalWidth === 0) return;
    const part = (pixels: number, all: number): string => `${(100 * pixels) / all}%`;
    Object.assign(this.#ad.style, { left: part(place.left, naturalWidth), top: part(place.top, naturalHeight) });
    Object.assign(this.#ad.style, { width: part(place.width, naturalWidth), aspectRatio: String(ratio) });
  }
}

customElements.define('ad-place', AdPlace);
