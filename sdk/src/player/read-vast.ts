/** A video ad, with what all its wrappers track. */
export interface PlayableAd {
  readonly media: readonly MediaFile[];
  readonly captions: readonly CaptionFile[];
  /** Seconds after which it may be skipped; undefined: it cannot be. */
  readonly skipAfter: number | undefined;
  readonly clickThrough: string | undefined;
  readonly icon: Linked | undefined;
  readonly endCard: EndCard | undefined;
  /** Addresses by what is reported: `impression`, `click`, `error`, or an event of VAST. */
  readonly urls: (what: string) => readonly string[];
}

interface MediaFile {
  readonly url: string;
  readonly type: string;
  readonly width: number;
}

interface CaptionFile {
  readonly url: string;
  readonly language: string;
}

/** A picture with its destination. */
export interface Linked {
  readonly image: string;
  readonly href: string | undefined;
  readonly label: string;
}

/** Shown when the video is over. Addresses of what is reported of it. */
export interface EndCard extends Linked {
  readonly shown: readonly string[];
  readonly clicked: readonly string[];
}

/** With the code of VAST that the ad's Error addresses get. */
export class VastError extends Error {
  readonly code: number;
  /** The Error addresses of the documents that were read. */
  readonly urls: readonly string[];

  constructor(code: number, message: string, urls: readonly string[] = []) {
    super(message);
    this.code = code;
    this.urls = urls;
  }
}

export interface VastTools {
  /** As text that a page with Trusted Types may parse. */
  readonly trusted: (text: string) => string;
  /** The address of a path of the ad server; '': it is none of the web. */
  readonly absolute: (url: string) => string;
  /** Reads another server's document. */
  readonly load: (url: string) => Promise<string>;
}

/** An event of Verification: its script was not run. */
export const UNVERIFIED = 'verificationNotExecuted';

/** Wrappers around an ad (VAST 4.2, 2.4.3.4). */
const MAX_WRAPPERS = 5;

/** What is in an element, by its name. Prefixes of namespaces do not matter. */
const allIn = (root: Element, path: string): readonly Element[] => [...root.querySelectorAll(path)];
const textOf = (element: Element | null | undefined): string => element?.textContent?.trim() ?? '';
type UrlOf = (element: Element | null | undefined) => string | undefined;

/** Reads the ad of a VAST document, through its wrappers. Throws a VastError. */
export const readVast = async (text: string, { trusted, absolute, load }: VastTools): Promise<PlayableAd> => {
  const urlOf: UrlOf = (element) => absolute(textOf(element)) || undefined;
  const urls = new Map<string, string[]>();
  const note = (what: string, elements: readonly Element[]): void => {
    for (const element of elements) {
      const url = urlOf(element);
      if (url) urls.set(what, [...(urls.get(what) ?? []), url]);
    }
  };
  const fail = (code: number, message: string): VastError => new VastError(code, message, urls.get('error'));
  let next = text;
  for (let depth = 0; ; depth++) {
    const document = new DOMParser().parseFromString(trusted(next), 'text/xml');
    if (document.querySelector('parsererror') || document.documentElement.localName !== 'VAST')
      throw fail(100, 'the ad is no VAST document');
    const ad = document.querySelector('VAST > Ad');
    if (!ad) {
      note('error', allIn(document.documentElement, 'VAST > Error'));
      throw fail(303, 'the VAST document has no ad');
    }
    note('impression', allIn(ad, 'Impression'));
    note('error', allIn(ad, 'InLine > Error, Wrapper > Error'));
    note('click', allIn(ad, 'Linear > VideoClicks > ClickTracking'));
    note('viewable', allIn(ad, 'ViewableImpression > Viewable'));
    note(UNVERIFIED, allIn(ad, `Verification Tracking[event=${UNVERIFIED}]`));
    for (const tracking of allIn(ad, 'Linear > TrackingEvents > Tracking')) note(tracking.getAttribute('event') ?? '', [tracking]);
    const inLine = ad.querySelector('InLine');
    if (inLine) return playableOf(inLine, urlOf, (what) => urls.get(what) ?? []);
    const tag = urlOf(ad.querySelector('Wrapper > VASTAdTagURI'));
    if (!tag) throw fail(300, 'the wrapper has no address');
    if (depth === MAX_WRAPPERS) throw fail(302, 'the ad has too many wrappers');
    next = await load(tag).catch(() => {
      throw fail(301, 'the ad of another server did not come');
    });
  }
};

const playableOf = (inLine: Element, urlOf: UrlOf, urls: PlayableAd['urls']): PlayableAd => {
  const linear = inLine.querySelector('Linear');
  const card = allIn(inLine, 'Companion').find(
    (one) => one.getAttribute('renderingMode') === 'end-card' && one.querySelector('StaticResource'),
  );
  return {
    urls,
    media: (linear ? allIn(linear, 'MediaFile') : []).flatMap((file) => {
      const url = urlOf(file);
      return url ? [{ url, type: file.getAttribute('type') ?? '', width: Number(file.getAttribute('width')) }] : [];
    }),
    captions: (linear ? allIn(linear, 'ClosedCaptionFile') : []).flatMap((file) => {
      const url = urlOf(file);
      return url && /vtt/.test(file.getAttribute('type') ?? url) ? [{ url, language: file.getAttribute('language') ?? '' }] : [];
    }),
    skipAfter: secondsOf(linear?.getAttribute('skipoffset')),
    clickThrough: urlOf(linear?.querySelector('VideoClicks > ClickThrough')),
    icon: linkedOf(urlOf, linear?.querySelector('Icon'), 'IconClickThrough', linear?.querySelector('Icon')?.getAttribute('program') ?? ''),
    endCard: endCardOf(urlOf, card),
  };
};

const linkedOf = (urlOf: UrlOf, element: Element | null | undefined, link: string, label: string): Linked | undefined => {
  const image = urlOf(element?.querySelector('StaticResource'));
  return image ? { image, href: urlOf(element?.querySelector(link)), label } : undefined;
};

const endCardOf = (urlOf: UrlOf, card: Element | undefined): EndCard | undefined => {
  const linked = linkedOf(urlOf, card, 'CompanionClickThrough', textOf(card?.querySelector('AltText')));
  const urlsIn = (path: string): readonly string[] => (card ? allIn(card, path) : []).flatMap((element) => urlOf(element) ?? []);
  return linked && { ...linked, shown: urlsIn('Tracking[event=creativeView]'), clicked: urlsIn('CompanionClickTracking') };
};

/** `00:00:05` or `00:00:05.500`; a share of the length is read as none. */
const secondsOf = (time: string | null | undefined): number | undefined => {
  const [, hours, minutes, seconds] = /^(\d+):(\d+):([\d.]+)$/.exec(time ?? '') ?? [];
  return hours === undefined ? undefined : (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
};

/** The smallest file that the browser plays and that fills the width, else the largest; undefined: it plays none. */
export const chooseMedia = ({ media }: PlayableAd, width: number, canPlay: (type: string) => boolean): MediaFile | undefined => {
  const playable = media.filter(({ type }) => canPlay(type)).sort((a, b) => a.width - b.width);
  return playable.find((file) => file.width >= width) ?? playable[playable.length - 1];
};
