import type { Linked, PlayableAd } from './read-vast.ts';

/** The elements of a player. */
export interface PlayerView {
  readonly root: HTMLElement;
  readonly video: HTMLVideoElement;
  /** Of the buttons for sound and the like. */
  readonly bar: HTMLElement;
  readonly play: HTMLButtonElement;
  readonly mute: HTMLButtonElement;
  /** undefined: there are no captions. */
  readonly captions: HTMLButtonElement | undefined;
  toggleCaptions(): void;
  /** undefined: it cannot be skipped. */
  readonly skip: HTMLButtonElement | undefined;
  /** undefined: the ad has no destination. */
  readonly link: HTMLAnchorElement | undefined;
  /** A thin line at the bottom. */
  readonly progress: HTMLElement;
}

/** Set through the object model, which a Content-Security-Policy without inline styles allows. */
const make = <K extends keyof HTMLElementTagNameMap>(name: K, style: string, parent?: Element): HTMLElementTagNameMap[K] => {
  const element = document.createElement(name);
  element.style.cssText = `all:revert;box-sizing:border-box;${style}`;
  parent?.append(element);
  return element;
};

const BUTTON =
  'min-width:32px;min-height:32px;margin:0;padding:2px 8px;border:0;border-radius:4px;font:500 12px/20px system-ui,sans-serif;color:#fff;background:#000a;cursor:pointer;';
const FILL = 'position:absolute;inset:0;';

export const buildView = (container: HTMLElement, ad: PlayableAd, ratio: number): PlayerView => {
  const root = make('div', `position:relative;width:100%;aspect-ratio:${ratio};background:#000;overflow:hidden`, container);
  root.tabIndex = 0;
  root.setAttribute('role', 'region');
  root.setAttribute('aria-label', 'Video advertisement');
  const video = make('video', `${FILL}width:100%;height:100%;object-fit:contain`, root);
  video.muted = true;
  video.playsInline = true;
  video.preload = 'metadata';
  video.disablePictureInPicture = true;
  const link = ad.clickThrough ? make('a', `${FILL}cursor:pointer`, root) : undefined;
  if (link) {
    link.href = ad.clickThrough!;
    link.target = '_blank';
    link.rel = 'noopener sponsored';
    link.setAttribute('aria-label', 'Visit the advertiser');
  }
  const bar = make('div', 'position:absolute;left:6px;bottom:8px;display:flex;gap:6px', root);
  const button = (label: string, text: string, style = '', parent: Element = bar): HTMLButtonElement => {
    const made = make('button', BUTTON + style, parent);
    made.type = 'button';
    setButton(made, label, text);
    return made;
  };
  const play = button('Play', '▶');
  const mute = button('Unmute', '🔇');
  const captions = ad.captions.length ? button('Show captions', 'CC') : undefined;
  const skip = ad.skipAfter === undefined ? undefined : button('Skip this ad', 'Skip ▸', 'position:absolute;right:6px;bottom:8px', root);
  const progress = make('div', 'position:absolute;left:0;bottom:0;height:3px;width:0;background:#fc0', root);
  // Also before the end card.
  if (ad.icon) picture(ad.icon, root, 'position:absolute;left:4px;top:4px;z-index:1', 'height:20px');
  const toggleCaptions = (): void => {
    const [track] = video.textTracks;
    if (!track || !captions) return;
    track.mode = track.mode === 'showing' ? 'disabled' : 'showing';
    setButton(captions, track.mode === 'showing' ? 'Hide captions' : 'Show captions', 'CC');
  };
  return { root, video, bar, play, mute, captions, toggleCaptions, skip, link, progress };
};

/** What a button does now, for eyes and screen readers. */
export const setButton = (button: HTMLButtonElement, label: string, text: string): void => {
  button.setAttribute('aria-label', label);
  button.title = label;
  button.textContent = text;
};

const picture = ({ image, href, label }: Linked, root: HTMLElement, place: string, size: string): HTMLElement => {
  const box = href ? make('a', place, root) : make('span', place, root);
  if (box instanceof HTMLAnchorElement) {
    box.href = href!;
    box.target = '_blank';
    box.rel = 'noopener';
  }
  const img = make('img', `${size};display:block`, box);
  img.alt = label;
  img.src = image;
  return box;
};

/** The picture in place of a video that is over. */
export const showEndCard = ({ root }: PlayerView, card: Linked): HTMLElement =>
  picture(card, root, `${FILL}display:grid;place-items:center;background:#000`, 'max-width:100%;max-height:100%');

export const addCaptions = ({ video }: PlayerView, { captions }: PlayableAd): void => {
  // Captions of another origin are read with CORS, and then the video is, too.
  if (captions.length) video.crossOrigin = 'anonymous';
  for (const { url, language } of captions) {
    const track = document.createElement('track');
    track.kind = 'captions';
    track.src = url;
    track.srclang = language;
    track.label = language || 'Captions';
    video.append(track);
  }
};
