import type { RecordedAd } from './recorded-ads.ts';
import { SLOT } from '../slot-attributes.ts';

/** What a slot of the page shows, and the request behind it. */
export interface WatchedSlot {
  readonly container: HTMLElement;
  /** '': not known yet. */
  readonly placementId: string;
  /** `waiting`: its request has not been sent. */
  readonly state: 'waiting' | 'loading' | 'filled' | 'empty';
  readonly ad: RecordedAd | undefined;
  /** What the SDK said was wrong; '': nothing. */
  readonly error: string;
  /** performance.now() when the ad became viewable. */
  readonly viewableAtMs: number | undefined;
  readonly filledAtMs: number | undefined;
  /** Of the container's pixels, 0 to 1, whatever lies over them. */
  readonly shareInView: number;
}

interface Known {
  placementId: string;
  /** Finds the current version of the ad. */
  ad: ((all: readonly RecordedAd[]) => RecordedAd | undefined) | undefined;
  error: string;
  viewableAtMs: number | undefined;
  filledAtMs: number | undefined;
  shareInView: number;
}

type Detail = CustomEvent<{
  readonly placementId?: string;
  readonly bid?: { readonly id: string };
  readonly error?: Error;
}>;

/**
 * Follows the slots of the page by the SDK's events and the attribute that it writes.
 * `slots` lists them in document order.
 */
export const watchContainers = (
  allAds: () => readonly RecordedAd[],
  onChange: () => void,
): { readonly slots: () => readonly WatchedSlot[]; readonly end: () => void } => {
  const known = new WeakMap<Element, Known>();
  /** Ads that belong to a slot, so that two slots of one placement do not show the same one. */
  const taken = new Set<string>();
  const keyOf = ({ sentAtMs, imp, server }: RecordedAd): string => `${sentAtMs} ${imp.id} ${server}`;
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRatio } of entries) of(target).shareInView = intersectionRatio;
      onChange();
    },
    { threshold: Array.from({ length: 21 }, (_, step) => step / 20) },
  );
  const of = (container: Element): Known => {
    let one = known.get(container);
    if (!one) {
      one = { placementId: '', ad: undefined, error: '', viewableAtMs: undefined, filledAtMs: undefined, shareInView: 0 };
      known.set(container, one);
      observer.observe(container);
    }
    return one;
  };

  /** The event does not name its request: the latest one of the placement that no other slot has. */
  const latestOf = (placementId: string): RecordedAd | undefined => {
    const free = allAds().filter((ad) => ad.placementId === placementId && ad.answeredAtMs !== undefined && !taken.has(keyOf(ad)));
    return free.find(({ sentAtMs }) => sentAtMs === free[free.length - 1]?.sentAtMs);
  };

  const onSignal = ({ type, target, detail: { placementId, bid, error } }: Detail): void => {
    if (!(target instanceof Element)) return;
    const one = of(target);
    one.placementId = placementId ?? one.placementId;
    if (error) one.error = error.message;
    if (type === 'AdSDK:viewable') one.viewableAtMs = performance.now();
    if (type === 'AdSDK:filled' || type === 'AdSDK:noAd') {
      const ad = bid ? allAds().find((each) => each.bid?.id === bid.id) : latestOf(one.placementId);
      const key = ad && keyOf(ad);
      if (key) taken.add(key);
      one.ad = (all) => all.find((each) => keyOf(each) === key);
      one.viewableAtMs = undefined;
      if (bid) Object.assign(one, { error: '', filledAtMs: performance.now() });
    }
    onChange();
  };
  const signals = ['filled', 'noAd', 'error', 'viewable'].map((name) => `AdSDK:${name}`);
  for (const name of signals) document.addEventListener(name, onSignal as EventListener);
  const mutations = new MutationObserver(onChange);
  mutations.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: [SLOT, 'data-adsdk-state'] });

  return {
    slots: () =>
      [...document.querySelectorAll<HTMLElement>(`[${SLOT}],[data-adsdk-state]`)].map((container) => {
        const { ad, placementId, ...rest } = of(container);
        const state = (container.dataset['adsdkState'] ?? 'waiting') as WatchedSlot['state'];
        return { container, state, placementId: container.getAttribute(SLOT) ?? placementId, ad: ad?.(allAds()), ...rest };
      }),
    end: () => {
      for (const name of signals) document.removeEventListener(name, onSignal as EventListener);
      mutations.disconnect();
      observer.disconnect();
    },
  };
};
