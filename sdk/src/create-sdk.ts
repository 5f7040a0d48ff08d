import { createAdRequests, type PageMembers } from './ad-requests.ts';
import { runningQueue } from './command-queue.ts';
import { consentFields, createConsent } from './consent.ts';
import type { AdSDK, AdSDKOptions, PageContext } from './contract.ts';
import { watchSlots } from './declared-slots.ts';
import { escapeHTML, trustedHTML } from './html.ts';
import { fillMacros } from './macros.ts';
import { createPlaceAd } from './place-ad.ts';
import type { renderPlayer } from './player/render-player.ts';
import { renderFrame } from './render-frame.ts';
import type { renderNative } from './render-native.ts';
import { isVast } from './is-vast.ts';
import { getReportLinkHTML } from './report-button.ts';
import type { openReportModal } from './report-modal.ts';
import { onServer, reportServer, tokenOf, trackingUrl } from './server-address.ts';
import { createUserId, randomId } from './user-id.ts';
import { whenPerceptible } from './visibility.ts';
import { warnOnce } from './warn-once.ts';

const CONSENT_WAIT_MS = 1000;

/** How an entry of the SDK loads the parts that few pages need. */
export interface Parts {
  readonly loadDialog: () => Promise<{ readonly openReportModal: typeof openReportModal }>;
  readonly loadNative: () => Promise<{ readonly renderNative: typeof renderNative }>;
  readonly loadPlayer: () => Promise<{ readonly renderPlayer: typeof renderPlayer }>;
}

/**
 * Dispatches `AdSDK:<name>` on an ad's container (bubbling) or on the document. An exception in a
 * listener of the page does not return here.
 */
const emit = (target: EventTarget, name: string, detail: object): void => {
  target.dispatchEvent(new CustomEvent(`AdSDK:${name}`, { bubbles: true, detail }));
};

const fail = (target: EventTarget, placementId: string | undefined, error: unknown): void => {
  const fault = error instanceof Error ? error : new Error(String(error));
  warnOnce(`${placementId === undefined ? '' : `"${placementId}": `}${fault.message}`);
  emit(target, 'error', { placementId, error: fault });
};

/** Creates an SDK for one ad server. Does not touch the page before a method is called. */
export const createSDK = (
  { baseUrl: home, nonce = '', consentWaitMs = CONSENT_WAIT_MS, fetch: send = (url, init) => window.fetch(url, init) }: AdSDKOptions,
  { loadDialog, loadNative, loadPlayer }: Parts,
): AdSDK => {
  const consent = createConsent(consentWaitMs);
  const userId = createUserId(consent.mayStore);
  let pageContext: PageContext = {};
  let isWatching = false;
  let closeModal = (): void => {};

  /** Without permission to store, the page is sent without its query, which may name a person. */
  const pageFields = async (): Promise<PageMembers> => {
    await consent.ready();
    const isRefused = consent.mayStore() === false;
    const { page = location.href, ref = document.referrer, data } = pageContext;
    const cut = (url: string): string => url.replace(isRefused ? /[?#].*/ : /#.*/, '');
    return {
      ext: pageContext.ext,
      site: { page: cut(page), ref: cut(ref) },
      ...consentFields(consent.signals(), { id: userId.get(), data: !isRefused && data }),
    };
  };

  const requestAds = createAdRequests({
    send,
    pageFields,
    newId: randomId,
    onAnswer: ({ ext }) => userId.settle(ext?.remember !== false),
  });
  const request: Parameters<typeof createPlaceAd>[0]['request'] = ({ keyValues, ...slot }, baseUrl) => {
    const all = { ...pageContext.keyValues, ...keyValues };
    return requestAds({
      baseUrl: baseUrl || home,
      apiKey: window.AD_SERVER_API_KEY,
      publisherId: Number(window.AD_SERVER_PUBLISHER_ID),
      ...slot,
      keyValues: Object.keys(all).length ? all : undefined,
    });
  };

  const reportAd: AdSDK['reportAd'] = async (reportUrl, reason, baseUrl) => {
    try {
      const response = await send(onServer(reportServer(reportUrl, baseUrl, home), '/report'), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        body: JSON.stringify({ token: tokenOf(reportUrl), reason }),
      });
      if (!response.ok) throw new Error(`the ad server answered ${response.status}`);
      return true;
    } catch (error) {
      fail(document, undefined, error);
      return false;
    }
  };

  const showReportModal: AdSDK['showReportModal'] = (reportUrl, baseUrl) => {
    const opener = document.activeElement;
    closeModal();
    let isClosed = false;
    let close = (): void => {
      isClosed = true;
    };
    closeModal = () => close();
    loadDialog()
      .then(({ openReportModal }) => {
        if (!isClosed) close = openReportModal((reason) => reportAd(reportUrl, reason, baseUrl), trustedHTML, opener);
      })
      .catch((error: unknown) => fail(document, undefined, error));
  };

  const slots = createPlaceAd({
    send,
    request,
    emit,
    fail,
    report: (bid, baseUrl) => {
      showReportModal(bid.repturl ?? bid.impurl, baseUrl);
      return closeModal;
    },
  });

  const AdSDK: AdSDK = {
    version: SDK_VERSION,
    cmd: { push: () => 0 },
    templates: {},
    setApiKey: (apiKey) => {
      window.AD_SERVER_API_KEY = apiKey;
    },
    setPublisherId: (publisherId) => {
      window.AD_SERVER_PUBLISHER_ID = publisherId;
    },
    setConsent: consent.set,
    setUserId: userId.set,
    setPageContext: (context) => {
      pageContext = { ...pageContext, ...context };
    },
    renderAd: (placementId, container, baseUrl, keyValues) =>
      slots.place(container, {
        placementId,
        baseUrl,
        keyValues,
        show: async (element, bid, answer, scope, tracker) => {
          const ad = { ...bid, adm: fillMacros(bid.adm, bid, consent.signals()) };
          if (isVast(bid))
            return (await loadPlayer()).renderPlayer(element, ad, scope, {
              ...{ trustedHTML, whenPerceptible, send },
              absolute: (url) => trackingUrl(baseUrl || home, url),
            });
          return renderFrame(element, ad, scope, tracker, { nonce, base: baseUrl || home, creativeOrigin: answer.ext?.creative_origin });
        },
      }),
    renderNativeAd: (placementId, container, templateFn, baseUrl, keyValues) => {
      // Loaded while the ad is requested. A failure is the ad's, if there is one.
      const native = loadNative();
      native.catch(() => {});
      return slots.place(container, {
        placementId,
        baseUrl,
        keyValues,
        show: async (element, bid, _answer, scope, tracker) =>
          (await native).renderNative(element, bid, scope, tracker, templateFn, baseUrl || home, {
            escapeHTML,
            trustedHTML,
            whenPerceptible,
          }),
      });
    },
    fetchAd: async (placementId, baseUrl, keyValues) => {
      try {
        return await request({ placementId, sizes: [], keyValues }, baseUrl);
      } catch (error) {
        fail(document, placementId, error);
        throw error;
      }
    },
    reportAd,
    showReportModal,
    getReportLinkHTML,
    escapeHTML,
    watchSlots: () => {
      if (isWatching) return;
      isWatching = true;
      watchSlots(AdSDK, slots.destroyDetached);
    },
    destroy: slots.destroy,
  };
  AdSDK.cmd = runningQueue(AdSDK);
  return AdSDK;
};
