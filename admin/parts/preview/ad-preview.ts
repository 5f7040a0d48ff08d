/** A whole document, and the size to show it at, in CSS pixels. */
export interface PreviewedAd {
  readonly markup: string;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** Shows below the frame which picture the browser chose from a srcset. */
  readonly namesPicture?: boolean;
  /** Loads when it comes near the window. */
  readonly isLazy?: boolean;
}

const QUIET_MS = 250;
const MAX_SHOWN_CHARS = 200;

/**
 * `<ad-preview .ad=${ad}>`: an ad in a sandboxed frame at its size, scaled down where space is
 * short. New markup gets a new frame, so that nothing of the previous creative remains.
 */
class AdPreview extends HTMLElement {
  #ad: PreviewedAd | undefined;
  #frame: HTMLIFrameElement | undefined;
  readonly #picture = document.createElement('small');
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #resized = new ResizeObserver(() => this.#fit());
  readonly #onMessage = (event: MessageEvent<unknown>) => this.#receive(event);

  set ad(ad: PreviewedAd) {
    const same = this.#ad?.markup === ad.markup && this.#ad.width === ad.width && this.#ad.height === ad.height;
    const first = this.#ad === undefined;
    this.#ad = ad;
    if (same) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#show(), first ? 0 : QUIET_MS);
    this.#fit();
  }

  connectedCallback(): void {
    window.addEventListener('message', this.#onMessage);
    this.#resized.observe(this);
    if (this.#ad) this.#show();
  }

  disconnectedCallback(): void {
    window.removeEventListener('message', this.#onMessage);
    this.#resized.disconnect();
    clearTimeout(this.#timer);
    this.#frame?.remove();
    this.#frame = undefined;
  }

  #show(): void {
    if (!this.isConnected || !this.#ad) return;
    const frame = document.createElement('iframe');
    frame.title = this.#ad.title;
    // The response has the same policy; the attribute holds even without it.
    frame.setAttribute('sandbox', 'allow-scripts allow-popups allow-popups-to-escape-sandbox');
    frame.setAttribute('scrolling', 'no');
    frame.referrerPolicy = 'no-referrer';
    if (this.#ad.isLazy) frame.loading = 'lazy';
    frame.src = '/static/admin/preview.html';
    this.#frame = frame;
    this.#picture.textContent = '';
    this.#picture.className = 'help picture';
    this.replaceChildren(frame, this.#picture);
    this.#fit();
  }

  #receive({ source, data }: MessageEvent<unknown>): void {
    if (!source || source !== this.#frame?.contentWindow) return;
    const { preview, src } = (data ?? {}) as { readonly preview?: unknown; readonly src?: unknown };
    // The frame's origin is opaque, so it is identified by its window.
    if (preview === 'ready' && this.#ad) source.postMessage({ markup: this.#ad.markup }, '*');
    if (preview === 'image' && typeof src === 'string' && this.#ad?.namesPicture) this.#picture.textContent = src.slice(0, MAX_SHOWN_CHARS);
  }

  /** Through the object model: the page's policy refuses style attributes. */
  #fit(): void {
    if (!this.#ad || !this.#frame) return;
    const { width, height } = this.#ad;
    const scale = Math.min(1, (this.parentElement?.clientWidth ?? width) / width);
    Object.assign(this.#frame.style, { width: `${width}px`, height: `${height}px`, transform: `scale(${scale})`, transformOrigin: '0 0' });
    Object.assign(this.#frame.style, { marginBottom: `${height * (scale - 1)}px`, marginRight: `${width * (scale - 1)}px` });
  }
}

customElements.define('ad-preview', AdPreview);
