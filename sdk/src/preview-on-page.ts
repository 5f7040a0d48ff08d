/**
 * Entry of the preview, which the SDK loads when the page's address asks for it (`#adsdk_preview=<placement>`): a page of the ad
 * server shows this page in a frame or a tab and sends the ad for one placement. The ad server is asked for nothing, and counts nothing.
 */
import type { Fetch } from './ad-requests.ts';
import { SLOT } from './slot-attributes.ts';

interface Asked {
  readonly imp: readonly { readonly id: string; readonly tagid: string }[];
}

/** What the ad server's page sends. */
interface SentAd {
  readonly adm: string;
  readonly w: number;
  readonly h: number;
}

/** Returns the `fetch` for the SDK. A page that was opened by itself has its ads as ever. */
export const startOverlay = (send: Fetch = (url, init) => window.fetch(url, init)): Fetch => {
  const desk = (parent === window ? window.opener : parent) as Window | null;
  if (!desk) return send;
  const placement = decodeURIComponent(/adsdk_preview=([^&]*)/.exec(location.hash)?.[1] ?? '');
  const isShown = (slot: EventTarget | null): void => (slot as Element | null)?.scrollIntoView({ block: 'center' });
  // A lazy slot asks for its ad when it is near the window.
  const findSlot = (): void => isShown(document.querySelector(`[${SLOT}="${CSS.escape(placement)}"]`));
  findSlot();
  addEventListener('DOMContentLoaded', findSlot);

  /** One ad for all slots of the placement. Only the ad server's own page is asked, and heard. */
  let ad: Promise<SentAd> | undefined;
  const askFor = (server: string): Promise<SentAd> =>
    new Promise((resolve) => {
      addEventListener('message', ({ source, origin, data }: MessageEvent<{ readonly adsdk?: unknown; readonly ad?: SentAd } | null>) => {
        if (source === desk && origin === server && data?.adsdk === 'preview' && data.ad) resolve(data.ad);
      });
      desk.postMessage({ adsdk: 'preview' }, server);
      document.addEventListener('AdSDK:filled', ({ target, detail }) => {
        if (detail.placementId !== placement) return;
        isShown(target);
        desk.postMessage({ adsdk: 'preview', isShown: true }, server);
      });
    });

  return async (url, init) => {
    // Hits of the preview are answered here.
    if (init.method !== 'POST' || !/\/ad$/.test(url)) return new Response();
    const wanted = (JSON.parse(init.body as string) as Asked).imp.filter(({ tagid }) => tagid === placement);
    const sent = wanted.length > 0 && (await (ad ??= askFor(new URL(url, location.href).origin)));
    const hit = `${url}?t=preview`;
    const bid = sent && wanted.map(({ id }) => ({ id, impid: id, ...sent, impurl: hit, clkurl: hit, evturl: hit }));
    return Response.json({ id: 'preview', seatbid: bid ? [{ bid }] : [] });
  };
};
