import type { PageDevice, PageScheme, PlaceOnPicture } from '../../../src/catalog/model/page-views.ts';
import './ad-preview.ts';
import type { PreviewedAd } from './ad-preview.ts';
import { PAGE_VIEWS, pageSketch, sketchedPlace } from './page-sketch.ts';

export interface AdInPage {
  readonly ad: PreviewedAd;
  readonly device: PageDevice;
  readonly scheme: PageScheme;
  /** undefined: there is no picture, and a sketch takes its place. */
  readonly place: PlaceOnPicture | undefined;
}

/**
 * A frame asks the browser, and not the page around it, which colours a visitor prefers: in the styles of the markup the answer is
 * written in place of the question.
 */
const inScheme = (markup: string, scheme: PageScheme): string =>
  markup.replaceAll(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, asked: string) =>
    asked.toLowerCase() === scheme ? '(min-width: 0px)' : '(max-width: 0px)',
  );

/**
 * `<page-preview .shown=${shown}>`: an ad on a picture of its page, as much of which is shown as a screen of the device has, around the ad.
 * Sizes are set through the object model: the page's policy refuses style attributes.
 */
class PagePreview extends HTMLElement {
  #shown: AdInPage | undefined;
  #drawn = '';
  #background: HTMLImageElement | SVGElement | undefined;
  readonly #stage = document.createElement('div');
  readonly #box = document.createElement('div');
  readonly #ad = document.createElement('ad-preview') as HTMLElement & { ad: PreviewedAd };
  readonly #resized = new ResizeObserver(() => this.#fit());

  set shown(shown: AdInPage) {
    this.#shown = shown;
    this.#draw();
  }

  connectedCallback(): void {
    Object.assign(this.style, { display: 'block', overflow: 'hidden', position: 'relative' });
    Object.assign(this.#stage.style, { position: 'absolute', left: '0', top: '0', transformOrigin: '0 0' });
    Object.assign(this.#box.style, { position: 'absolute', transformOrigin: '0 0', overflow: 'hidden' });
    this.#box.replaceChildren(this.#ad);
    this.replaceChildren(this.#stage);
    if (this.parentElement) this.#resized.observe(this.parentElement);
    this.#draw();
  }

  disconnectedCallback(): void {
    this.#resized.disconnect();
  }

  #draw(): void {
    if (!this.isConnected || !this.#shown) return;
    const { ad, device, scheme, place } = this.#shown;
    const drawn = JSON.stringify([device, scheme, place?.picture]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#background = place ? this.#picture(place.picture) : pageSketch(device, scheme, ad);
      this.#stage.replaceChildren(this.#background, this.#box);
      this.#ad.style.colorScheme = scheme;
    }
    this.#ad.ad = { ...ad, markup: inScheme(ad.markup, scheme) };
    this.#fit();
  }

  #picture(src: string): HTMLImageElement {
    const picture = new Image();
    picture.alt = '';
    picture.style.display = 'block';
    picture.addEventListener('load', () => this.#fit());
    picture.src = src;
    return picture;
  }

  #fit(): void {
    if (!this.#shown || !this.#background) return;
    const { ad, device, place } = this.#shown;
    const view = PAGE_VIEWS[device];
    const picture = this.#background instanceof HTMLImageElement ? this.#background : undefined;
    if (picture?.naturalWidth === 0) return;
    const [width, height] = picture ? [picture.naturalWidth, picture.naturalHeight] : [view.width, view.height];
    const { left, top, scale } = place ?? sketchedPlace(device, ad);
    const seen = Math.min(height, (width * view.height) / view.width);
    const from = Math.max(0, Math.min(height - seen, top - (seen - ad.height * scale) / 2));
    const room = Math.min(this.parentElement?.clientWidth || view.width, view.width);
    const shrunk = room / width;
    Object.assign(this.style, { width: `${room}px`, height: `${seen * shrunk}px` });
    Object.assign(this.#stage.style, { width: `${width}px`, height: `${height}px`, transform: `scale(${shrunk}) translateY(${-from}px)` });
    Object.assign(this.#box.style, { left: `${left}px`, top: `${top}px`, transform: `scale(${scale})` });
    Object.assign(this.#box.style, { width: `${ad.width}px`, height: `${ad.height}px` });
  }
}

customElements.define('page-preview', PagePreview);
