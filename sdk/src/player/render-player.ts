import type { Bid } from '../contract.ts';
import type { trustedHTML } from '../html.ts';
import type { Scope } from '../scope.ts';
import { trackingUrl } from '../server-address.ts';
import { observeViewability, whenPerceptible } from '../visibility.ts';
import { addCaptions, buildView, setButton, showEndCard, type PlayerView } from './player-view.ts';
import { chooseMedia, readVast, UNVERIFIED, VastError, type PlayableAd } from './read-vast.ts';

type Send = (url: string, init: RequestInit) => Promise<Response>;

const TAG_TIMEOUT_MS = 5_000;
const USUAL_RATIO = 16 / 9;
/** Share of the player in view from which it plays. */
const IN_VIEW = 0.5;
const QUARTILES = [
  [0.25, 'firstQuartile'],
  [0.5, 'midpoint'],
  [0.75, 'thirdQuartile'],
] as const;

/**
 * Plays the VAST ad of a bid in the container: muted while half of it is in view, paused while it is not. Resolves to the
 * player; rejects when the ad cannot be played, and reports its error. This file is loaded apart from the SDK, with the first video.
 *
 * @param trusted the SDK's, because a page with Trusted Types allows one policy of its name
 * @param base the ad server
 */
export const renderPlayer = async (
  container: HTMLElement,
  bid: Bid,
  scope: Scope,
  trusted: typeof trustedHTML,
  send: Send,
  base: string,
): Promise<HTMLElement> => {
  const isOwn = ownAddresses(trackingUrl(base, bid.impurl));
  const report = createReport(send, isOwn);
  try {
    const load = async (url: string): Promise<string> => {
      const answer = await send(fillMacros(url, 0), {
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        signal: AbortSignal.timeout(TAG_TIMEOUT_MS),
      });
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.text();
    };
    const ad = await readVast(bid.adm, { trusted, absolute: (url) => trackingUrl(base, url), load });
    if (scope.ended()) {
      report(ad.urls('notUsed'));
      return container;
    }
    // The SDK reports to the ad server that the slot is viewable.
    const onViewable = (): void => report(ad.urls('viewable').filter((url) => !isOwn(url)));
    return await play(container, bid, ad, scope, report, onViewable);
  } catch (error) {
    if (error instanceof VastError) report(error.urls, error.code);
    throw error;
  }
};

type Report = (urls: Iterable<string>, code?: number) => void;

/** Sent without cookies and referrer, and also when the page is left. */
const createReport =
  (send: Send, isOwn: (url: string) => boolean): Report =>
  (urls, code = 0) => {
    for (const url of urls) {
      // Only the visitor follows the redirect of a click, which fetch can leave in cors mode alone: the ad server allows it.
      const mode = isOwn(url) ? ({ mode: 'cors', redirect: 'manual' } as const) : ({ mode: 'no-cors' } as const);
      send(fillMacros(url, code), { ...mode, credentials: 'omit', referrerPolicy: 'no-referrer', keepalive: true }).catch(() => {});
    }
  };

/** Whether an address is one of the ad server. @param impression where it counts impressions */
const ownAddresses = (impression: string): ((url: string) => boolean) => {
  const [, own] = /^(.+\/)impression\?/.exec(impression) ?? [];
  return (url) => own !== undefined && url.startsWith(own);
};

/** Why a verification was not executed (VAST 4.2, 3.17.4). */
const NOT_SUPPORTED = '2';

/** Macros of VAST 4.2 (6) that a player outside of a film can fill. */
const fillMacros = (url: string, code: number): string =>
  url
    .replace(/\[ERRORCODE\]/g, String(code))
    .replace(/\[REASON\]/g, NOT_SUPPORTED)
    .replace(/\[(CACHEBUSTING|TIMESTAMP)\]/g, (_, name) =>
      name === 'TIMESTAMP' ? encodeURIComponent(new Date().toISOString()) : String(Math.random()).slice(2, 10),
    );

const play = async (
  container: HTMLElement,
  { w, h }: Bid,
  ad: PlayableAd,
  scope: Scope,
  report: Report,
  onViewable: () => void,
): Promise<HTMLElement> => {
  const view = buildView(container, ad, w && h ? w / h : USUAL_RATIO);
  const { root, video } = view;
  const once = new Set<string>();
  /** Each counts once, but what the visitor does again. */
  const note = (event: string): void => {
    if (!once.has(event)) report(ad.urls(event));
    once.add(event);
  };
  const leave = (): void => {
    if (!once.has('impression') && !once.has('notUsed')) note('notUsed');
  };
  scope.add(() => {
    leave();
    video.removeAttribute('src');
    video.load();
    root.remove();
  });
  scope.listen(window, 'pagehide', leave);
  const file = chooseMedia(ad, root.offsetWidth * devicePixelRatio, (type) => video.canPlayType(type) !== '');
  if (!file) throw new VastError(403, 'the browser plays none of the video files', ad.urls('error'));
  addCaptions(view, ad);
  video.src = file.url;
  await loaded(video, ad);
  if (scope.ended()) return root;
  whenPerceptible(root, scope, () => {
    run(view, ad, scope, { report, note });
    observeViewability(root, scope, true, onViewable);
  });
  return root;
};

/** Resolves when the first picture is there. Captions that the other server does not give away must not cost the video. */
const loaded = (video: HTMLVideoElement, ad: PlayableAd): Promise<void> =>
  new Promise((resolve, reject) => {
    video.addEventListener('loadeddata', () => resolve(), { once: true });
    video.addEventListener('error', () => {
      if (video.crossOrigin !== null) {
        video.removeAttribute('crossorigin');
        video.replaceChildren();
        return video.load();
      }
      reject(
        new VastError(
          video.error?.code === MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED ? 401 : 405,
          'the video cannot be played',
          ad.urls('error'),
        ),
      );
    });
    video.preload = 'auto';
    video.load();
  });

interface Notes {
  readonly report: Report;
  readonly note: (event: string) => void;
}

/** Plays while it is in view, with the controls of the visitor. */
const run = (view: PlayerView, ad: PlayableAd, scope: Scope, { report, note }: Notes): void => {
  const { root, video, bar, play: playButton, mute, captions, toggleCaptions, skip, link, progress } = view;
  let [inView, isPaused, isOver] = [false, false, false];
  const follow = (): void => {
    const shouldPlay = inView && !isPaused && !isOver && document.visibilityState === 'visible';
    if (shouldPlay) video.play().catch(() => {});
    else video.pause();
  };
  const observer = new IntersectionObserver(
    (entries) => {
      inView = entries[entries.length - 1]!.intersectionRatio >= IN_VIEW;
      follow();
    },
    { threshold: IN_VIEW },
  );
  observer.observe(root);
  scope.add(() => observer.disconnect());
  scope.listen(document, 'visibilitychange', follow);

  const finish = (): void => {
    isOver = true;
    video.pause();
    // The keyboard stays where it was, though its button is no more.
    if (root.matches(':focus-within')) root.focus({ preventScroll: true });
    bar.remove();
    skip?.remove();
    const { endCard } = ad;
    if (!endCard) return;
    report(endCard.shown);
    showEndCard(view, endCard).addEventListener('click', ({ isTrusted }) => {
      if (isTrusted) report(new Set([...endCard.clicked, ...ad.urls('click')]));
    });
  };
  const togglePlay = (): void => {
    if (isOver) return;
    isPaused = !isPaused;
    report(ad.urls(isPaused ? 'pause' : 'resume'));
    follow();
  };
  const toggleMute = (): void => {
    if (isOver) return;
    video.muted = !video.muted;
    report(ad.urls(video.muted ? 'mute' : 'unmute'));
  };
  const skipAd = (): void => {
    if (isOver || video.currentTime < (ad.skipAfter ?? Infinity)) return;
    note('skip');
    finish();
  };

  scope.listen(video, 'playing', () => {
    for (const event of ['impression', 'creativeView', 'start', UNVERIFIED]) note(event);
    setButton(playButton, 'Pause', '⏸');
  });
  scope.listen(video, 'pause', () => setButton(playButton, 'Play', '▶'));
  scope.listen(video, 'volumechange', () => setButton(mute, video.muted ? 'Unmute' : 'Mute', video.muted ? '🔇' : '🔊'));
  scope.listen(video, 'timeupdate', () => {
    const share = video.currentTime / video.duration;
    progress.style.width = `${100 * share}%`;
    for (const [from, event] of QUARTILES) if (share >= from) note(event);
    const left = Math.ceil((ad.skipAfter ?? 0) - video.currentTime);
    if (skip) skip.disabled = left > 0;
    if (skip)
      setButton(skip, left > 0 ? `The ad can be skipped in ${left} seconds` : 'Skip this ad', left > 0 ? `Skip in ${left}` : 'Skip ▸');
  });
  scope.listen(video, 'ended', () => {
    // A short video may end between two looks at its time.
    for (const [, event] of QUARTILES) note(event);
    note('complete');
    finish();
  });
  scope.listen(video, 'error', () => report(ad.urls('error'), 405));
  scope.listen(playButton, 'click', togglePlay);
  scope.listen(mute, 'click', toggleMute);
  if (captions) scope.listen(captions, 'click', toggleCaptions);
  if (skip) scope.listen(skip, 'click', skipAd);
  if (link)
    scope.listen(link, 'click', ({ isTrusted }) => {
      // The destination counts its click itself. A person who reads it does not watch.
      if (isTrusted) report(ad.urls('click'));
      if (!isPaused) togglePlay();
    });
  const keys: Readonly<Record<string, () => void>> = { ' ': togglePlay, k: togglePlay, m: toggleMute, c: toggleCaptions, s: skipAd };
  scope.listen(root, 'keydown', (event: KeyboardEvent) => {
    // On a button or a link a key does what it does everywhere.
    const does = event.target === root && !event.ctrlKey && !event.metaKey && !event.altKey ? keys[event.key.toLowerCase()] : undefined;
    if (!does) return;
    event.preventDefault();
    does();
  });
};
