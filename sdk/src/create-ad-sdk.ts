import { createAdRequests } from './ad-requests.ts';
import type { AdResponse, AdSDK, AdSDKOptions, Bid, KeyValues } from './contract.ts';
import { escapeHTML } from './html.ts';
import { renderFrame } from './render-frame.ts';
import { renderNative } from './render-native.ts';
import { attachReportButton, getReportLinkHTML } from './report-button.ts';
import { openReportModal } from './report-modal.ts';
import { createScope, type Scope } from './scope.ts';
import { onServer, reportServer, tokenOf } from './server-address.ts';
import { createTracker, type Tracker } from './tracker.ts';
import { createUserId, randomId } from './user-id.ts';
import { observeViewability, whenNear } from './visibility.ts';

const TECHNICAL_ERROR = 1;
const VIEWABLE = 'viewable';

type Show = (container: HTMLElement, bid: Bid, scope: Scope, tracker: Tracker) => Promise<HTMLElement>;

/**
 * Dispatches `AdSDK:<name>` on an ad's container (bubbling) or on the document. An exception in a
 * listener of the page does not return here.
 */
const emit = (target: EventTarget, name: string, detail: object): void => {
  target.dispatchEvent(new CustomEvent(`AdSDK:${name}`, { bubbles: true, detail }));
};

/** Creates an SDK for one ad server. Does not touch the page before a method is called. */
export const createAdSDK = ({ baseUrl: home, nonce = '', fetch: send = (url, init) => window.fetch(url, init) }: AdSDKOptions): AdSDK => {
  const userId = createUserId();
  const requestAd = createAdRequests(send, userId, randomId);
  /**
   * By container id: pending requests, and ads that are shown. A slot that is requested again keeps
   * its ad until the new answer arrives.
   */
  const pending = new Map<string, Scope>();
  const shown = new Map<string, Scope>();
  let closeModal = (): void => {};

  const fail = (target: EventTarget, placementId: string | undefined, error: unknown): void =>
    emit(target, 'error', { placementId, error: error instanceof Error ? error : new Error(String(error)) });

  const requestFor = async (placementId: string, baseUrl: string | undefined, keyValues: KeyValues | undefined): Promise<AdResponse> =>
    requestAd({
      baseUrl: baseUrl || home,
      apiKey: window.AD_SERVER_API_KEY,
      publisherId: Number(window.AD_SERVER_PUBLISHER_ID),
      placementId,
      keyValues,
    });

  const end = (slots: Map<string, Scope>, containerId: string): void => {
    slots.get(containerId)?.end();
    slots.delete(containerId);
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
      if (!response.ok) throw new Error(`the ad server answered the report with ${response.status}`);
      return true;
    } catch (error) {
      fail(document, undefined, error);
      return false;
    }
  };

  const showReportModal: AdSDK['showReportModal'] = (reportUrl, baseUrl) => {
    try {
      closeModal();
      closeModal = openReportModal((reason) => reportAd(reportUrl, reason, baseUrl));
    } catch (error) {
      fail(document, undefined, error);
    }
  };

  const place = async (
    placementId: string,
    containerId: string,
    baseUrl: string | undefined,
    keyValues: KeyValues | undefined,
    show: Show,
  ): Promise<boolean> => {
    const container = document.getElementById(containerId);
    if (!container) {
      fail(document, placementId, new Error(`there is no element with the id ${containerId}`));
      return false;
    }
    const scope = createScope();
    end(pending, containerId);
    pending.set(containerId, scope);
    let nbr: number | undefined = TECHNICAL_ERROR;
    try {
      const near = whenNear(container, scope);
      // An await would delay an ordinary slot by a tick and change the order of placements in the
      // request.
      if (near) await near;
      if (scope.ended()) return false;
      const answer = await requestFor(placementId, baseUrl, keyValues);
      if (scope.ended()) return false;
      pending.delete(containerId);
      end(shown, containerId);
      const bid = answer.seatbid[0]?.bid[0];
      nbr = answer.nbr;
      if (bid) {
        nbr = TECHNICAL_ERROR;
        shown.set(containerId, scope);
        const tracker = createTracker(bid, send, (error) => fail(container, placementId, error));
        const ad = await show(container, bid, scope, tracker);
        if (scope.ended()) return false;
        attachReportButton(container, ad, scope, () => {
          showReportModal(bid.repturl ?? bid.impurl, baseUrl);
          scope.add(closeModal);
        });
        observeViewability(ad, scope, () => {
          emit(container, VIEWABLE, { placementId });
          if (answer.ext?.events?.includes(VIEWABLE)) tracker.event(VIEWABLE);
        });
        return true;
      }
    } catch (error) {
      fail(container, placementId, error);
    }
    if (scope.ended()) return false;
    AdSDK.destroy(containerId);
    emit(container, 'noAd', { placementId, nbr });
    return false;
  };

  const AdSDK: AdSDK = {
    version: SDK_VERSION,
    setApiKey: (apiKey) => {
      window.AD_SERVER_API_KEY = apiKey;
    },
    setPublisherId: (publisherId) => {
      window.AD_SERVER_PUBLISHER_ID = publisherId;
    },
    renderAd: (placementId, containerId, baseUrl, keyValues) =>
      place(placementId, containerId, baseUrl, keyValues, (container, bid, scope, tracker) =>
        renderFrame(container, bid, scope, tracker, nonce),
      ),
    renderNativeAd: (placementId, containerId, templateFn, baseUrl, keyValues) =>
      place(placementId, containerId, baseUrl, keyValues, (container, bid, scope, tracker) =>
        renderNative(container, bid, scope, tracker, templateFn),
      ),
    fetchAd: async (placementId, baseUrl, keyValues) => {
      try {
        return await requestFor(placementId, baseUrl, keyValues);
      } catch (error) {
        fail(document, placementId, error);
        throw error;
      }
    },
    reportAd,
    showReportModal,
    getReportLinkHTML,
    escapeHTML,
    destroy: (containerId) => {
      end(pending, containerId);
      end(shown, containerId);
    },
  };
  return AdSDK;
};
