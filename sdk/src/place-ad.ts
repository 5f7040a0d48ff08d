import type { AdRequest, Fetch } from './ad-requests.ts';
import type { AdResponse, Bid, Container, KeyValues } from './contract.ts';
import { attachReportButton } from './report-button.ts';
import { createScope, type Scope } from './scope.ts';
import { parseSizes, reserveBox } from './sizes.ts';
import { keyValuesOf, refreshMsOf, type SlotState } from './slot-attributes.ts';
import { createTracker, VIEWABLE, type Tracker } from './tracker.ts';
import { afterInView, observeViewability, shareOf, whenMayAsk } from './visibility.ts';
import { warnOnce } from './warn-once.ts';

const TECHNICAL_ERROR = 1;

/** Shows a bid in a container. Resolves to the element of the ad. */
export type Show = (container: HTMLElement, bid: Bid, answer: AdResponse, scope: Scope, tracker: Tracker) => Promise<HTMLElement>;

export interface PlacedAd {
  readonly placementId: string;
  readonly baseUrl: string | undefined;
  readonly keyValues: KeyValues | undefined;
  readonly show: Show;
}

export interface PlaceAdOptions {
  readonly send: Fetch;
  readonly request: (
    slot: Pick<AdRequest, 'placementId' | 'sizes' | 'keyValues' | 'ended'>,
    baseUrl: string | undefined,
  ) => Promise<AdResponse>;
  readonly emit: (target: EventTarget, name: string, detail: object) => void;
  readonly fail: (target: EventTarget, placementId: string | undefined, error: unknown) => void;
  /** Opens the report modal for an ad and returns a function that closes it. */
  readonly report: (bid: Bid, baseUrl: string | undefined) => () => void;
}

export interface PlaceAd {
  /** Requests an ad and shows it. Resolves to whether it is shown; never rejects. */
  place(target: Container, ad: PlacedAd): Promise<boolean>;
  /** Removes the ad with all its resources, and cancels a pending request. */
  destroy(target: Container): void;
  /** Destroys the ads of containers that have left the document. */
  destroyDetached(): void;
}

/** The element of a slot, by itself or by its id. */
const containerOf = (target: Container): HTMLElement | null => (typeof target === 'string' ? document.getElementById(target) : target);

export const createPlaceAd = ({ send, request, emit, fail, report }: PlaceAdOptions): PlaceAd => {
  /**
   * Pending requests, and ads that are shown. A slot that is requested again keeps its ad until the
   * new answer arrives.
   */
  const pending = new Map<HTMLElement, Scope>();
  const shown = new Map<HTMLElement, Scope>();
  const end = (slots: Map<HTMLElement, Scope>, container: HTMLElement): void => {
    slots.get(container)?.end();
    slots.delete(container);
  };
  const clear = (container: HTMLElement): void => {
    end(pending, container);
    end(shown, container);
  };
  const mark = (container: HTMLElement, state: SlotState): void => container.setAttribute('data-adsdk-state', state);

  const show = async (container: HTMLElement, ad: PlacedAd, bid: Bid, answer: AdResponse, scope: Scope): Promise<boolean> => {
    const { placementId } = ad;
    const tracker = createTracker(bid, send, (error) => fail(container, placementId, error));
    const element = await ad.show(container, bid, answer, scope, tracker);
    if (scope.ended()) return false;
    mark(container, 'filled');
    emit(container, 'filled', { placementId, bid });
    attachReportButton(container, element, scope, () => scope.add(report(bid, ad.baseUrl)));
    observeViewability(element, scope, /<(video|VAST)[\s>]/i.test(bid.adm), () => {
      emit(container, VIEWABLE, { placementId });
      if (answer.ext?.events?.includes(VIEWABLE)) tracker.event(VIEWABLE);
    });
    const forMs = refreshMsOf(container);
    if (forMs) afterInView(element, scope, { share: shareOf(element), forMs, continuous: false }, () => void place(container, ad));
    return true;
  };

  const place: PlaceAd['place'] = async (target, ad) => {
    const { placementId, baseUrl, keyValues } = ad;
    if (typeof document === 'undefined') return false;
    const container = containerOf(target);
    if (!container) {
      fail(document, placementId, `no element with id "${target as string}"; is the script before it?`);
      return false;
    }
    const scope = createScope();
    let nbr: number | undefined = TECHNICAL_ERROR;
    try {
      end(pending, container);
      pending.set(container, scope);
      mark(container, 'loading');
      const sizes = parseSizes(container.dataset['sizes'] ?? '');
      if (reserveBox(container, sizes))
        warnOnce(`"${placementId}" may shift the page: style it with min-height: ${container.style.minHeight}`);
      const waiting = whenMayAsk(container, scope);
      // An await would delay an ordinary slot by a tick and change the order of slots in the request.
      if (waiting) await waiting;
      if (scope.ended()) return false;
      const answer = await request({ placementId, sizes, keyValues: keyValuesOf(container, keyValues), ended: scope.ended }, baseUrl);
      if (scope.ended()) return false;
      pending.delete(container);
      end(shown, container);
      const bid = answer.seatbid[0]?.bid[0];
      nbr = answer.nbr;
      if (bid) {
        nbr = TECHNICAL_ERROR;
        shown.set(container, scope);
        return await show(container, ad, bid, answer, scope);
      }
    } catch (error) {
      fail(container, placementId, error);
    }
    if (scope.ended()) return false;
    clear(container);
    mark(container, 'empty');
    if (container.dataset['collapse'] !== undefined && container.dataset['collapse'] !== 'false') container.style.minHeight = '0';
    emit(container, 'noAd', { placementId, nbr });
    return false;
  };

  return {
    place,
    destroy: (target) => {
      const container = containerOf(target);
      if (!container) return;
      clear(container);
      container.removeAttribute('data-adsdk-state');
    },
    destroyDetached: () => {
      for (const container of new Set([...pending.keys(), ...shown.keys()])) if (!container.isConnected) clear(container);
    },
  };
};
