import type { PageDevice } from '../../../src/catalog/model/page-views.ts';
import { answerPage } from './answer-page.ts';
import { addressWithAd, type AdOnPage, type LiveAd } from './live-ad.ts';
import { PAGE_VIEWS } from './page-sketch.ts';

/** `silent`: the page has not asked for the ad; it may forbid frames, or have no tag of this placement. */
export type LivePageState = 'loading' | 'shown' | 'silent';

export interface ShownOnPage extends AdOnPage {
  readonly device: PageDevice;
  readonly onState: (state: LivePageState) => void;
  /** Loads when it comes near the window. */
  readonly isLazy?: boolean;
}

const QUIET_MS = 600;
const SILENT_MS = 12_000;

/** Opens the page in a tab with the ad in its slot, for pages that forbid frames. */
export const openInTab = (ad: LiveAd): void => {
  const end: () => void = answerPage(window.open(addressWithAd(ad)), ad, () => end());
};

/** `<live-page .shown=${shown}>`: a page of the publisher itself, as wide as a screen of the device, with the ad in its slot. */
class LivePage extends HTMLElement {
  #shown: ShownOnPage | undefined;
  #drawn = '';
  #frame: HTMLIFrameElement | undefined;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #silent: ReturnType<typeof setTimeout> | undefined;
  readonly #resized = new ResizeObserver(() => this.#fit());
  readonly #onMessage = (event: MessageEvent<unknown>) => this.#receive(event);

  set shown(shown: ShownOnPage) {
    const drawn = JSON.stringify([shown.ad, shown.scheme]);
    const isFirst = this.#shown === undefined;
    this.#shown = shown;
    this.#fit();
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    clearTimeout(this.#quiet);
    // Not for each letter that is typed: the page loads anew.
    this.#quiet = setTimeout(() => this.#load(), isFirst ? 0 : QUIET_MS);
  }

  connectedCallback(): void {
    Object.assign(this.style, { display: 'block', overflow: 'hidden' });
    window.addEventListener('message', this.#onMessage);
    if (this.parentElement) this.#resized.observe(this.parentElement);
    clearTimeout(this.#quiet);
    this.#load();
  }

  disconnectedCallback(): void {
    window.removeEventListener('message', this.#onMessage);
    this.#resized.disconnect();
    clearTimeout(this.#quiet);
    clearTimeout(this.#silent);
  }

  #load(): void {
    if (!this.isConnected || !this.#shown) return;
    const frame = document.createElement('iframe');
    frame.title = this.#shown.ad.title;
    if (this.#shown.isLazy) frame.loading = 'lazy';
    frame.src = '/static/admin/live-page.html';
    this.#frame = frame;
    this.replaceChildren(frame);
    this.#fit();
    clearTimeout(this.#silent);
    this.#say('loading');
  }

  /** Opens the page in a tab. */
  openTab(): void {
    if (this.#shown) openInTab(this.#shown.ad);
  }

  #receive({ source, origin, data }: MessageEvent<unknown>): void {
    if (!source || source !== this.#frame?.contentWindow || origin !== location.origin || !this.#shown) return;
    const { livePage } = (data ?? {}) as { readonly livePage?: unknown };
    const { ad, scheme } = this.#shown;
    if (livePage === 'ready') {
      source.postMessage({ shown: { ad, scheme } satisfies AdOnPage }, origin);
      this.#silent = setTimeout(() => this.#say('silent'), SILENT_MS);
    }
    if (livePage !== 'shown') return;
    clearTimeout(this.#silent);
    this.#say('shown');
  }

  #say(state: LivePageState): void {
    this.#shown?.onState(state);
  }

  #fit(): void {
    if (!this.#shown || !this.#frame) return;
    const { width, height } = PAGE_VIEWS[this.#shown.device];
    const room = Math.min(this.parentElement?.clientWidth || width, width);
    Object.assign(this.style, { width: `${room}px`, height: `${(height * room) / width}px` });
    const size = { width: `${width}px`, height: `${height}px`, border: '0', display: 'block' };
    Object.assign(this.#frame.style, { ...size, transform: `scale(${room / width})`, transformOrigin: '0 0' });
  }
}

customElements.define('live-page', LivePage);
