import { createConsent } from './consent.ts';
import { createUserId } from './user-id.ts';

/** How long the first request waits for consent platforms. */
const WAIT_MS = 1_000;
/** A text ad says how high it is. */
const SAY_HEIGHT = '<script>parent.postMessage({reviveHeight:document.documentElement.scrollHeight},"*")</script>';

interface Place {
  readonly html: string;
  readonly width: number;
  readonly height: number;
}

const isRevive = (name: string): boolean => name.startsWith('data-revive-');

/**
 * Fills the places of Revive Adserver's asynchronous tags, `<ins data-revive-zoneid="12" data-revive-id="…">`. Ads run in
 * sandboxed frames. A page may load the script for each place: the first one fills those that are there, and later ones the
 * rest.
 */
const start = (script: HTMLScriptElement | null): void => {
  const address = script?.src ?? '';
  if (!/^https?:/.test(address)) return;
  const consent = createConsent(WAIT_MS);
  const user = createUserId(consent.mayStore);
  const frames = new Map<MessageEventSource | null, HTMLIFrameElement>();

  const show = (place: Element, { html, width, height }: Place): void => {
    const frame = document.createElement('iframe');
    const isSized = width > 0 && height > 0;
    frame.setAttribute('sandbox', 'allow-scripts allow-popups allow-popups-to-escape-sandbox');
    frame.title = 'Advertisement';
    frame.scrolling = 'no';
    frame.width = isSized ? String(width) : '100%';
    frame.height = String(height);
    frame.style.border = '0';
    // Addresses without a host are of the server.
    const head = `<!doctype html><meta charset="utf-8"><base href="${address.replace(/"/g, '%22')}" target="_blank">`;
    frame.srcdoc = `${head}<body style="margin:0">${html}${isSized ? '' : SAY_HEIGHT}`;
    place.replaceChildren(frame);
    if (!isSized) frames.set(frame.contentWindow, frame);
  };

  const fill = async (): Promise<void> => {
    const places = [...document.querySelectorAll('ins[data-revive-zoneid]:not([data-revive-loaded])')];
    if (places.length === 0) return;
    for (const place of places) place.setAttribute('data-revive-loaded', '1');
    await consent.ready();
    const { gdpr, consent: tcf, gpp, gppSid, usPrivacy, coppa } = consent.signals();
    const given: Readonly<Record<string, unknown>> = {
      ...{ zones: places.map((place) => place.getAttribute('data-revive-zoneid')).join('|'), prefix: 'revive-0-' },
      ...{ loc: location.href.split('#', 1)[0], referer: document.referrer, uid: user.get() },
      ...{ gdpr: gdpr === undefined ? undefined : Number(gdpr), gdpr_consent: tcf, gpp, gpp_sid: gppSid?.join(), us_privacy: usPrivacy },
      coppa: coppa ? 1 : undefined,
    };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(given)) if (value !== undefined && value !== '') query.set(name, String(value));
    for (const place of places)
      for (const { name, value } of [...place.attributes])
        if (isRevive(name) && !/-(zoneid|id|seq|loaded)$/.test(name)) query.set(name.slice('data-revive-'.length), value);
    const answer = await fetch(`${address.replace(/asyncjs\.php.*$/, 'asyncspc.php')}?${query.toString()}`, { credentials: 'omit' });
    if (!answer.ok) return;
    user.settle(answer.headers.get('May-Remember') === '1');
    const shown = (await answer.json()) as Readonly<Record<string, Place | undefined>>;
    for (const [i, place] of places.entries()) {
      const ad = shown[`revive-0-${i}`];
      if (ad?.html) show(place, ad);
    }
  };

  window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    const frame = frames.get(source);
    const height = Number((data as { reviveHeight?: unknown } | null)?.reviveHeight);
    if (frame && height > 0 && height <= 2_000) frame.height = String(Math.ceil(height));
  });
  // The page of a publisher never sees a fault of ours.
  const run = (): void => void fill().catch(() => undefined);
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', run);
  else run();
};

start(document.currentScript as HTMLScriptElement | null);
