import type { AddressList } from '../../context/address-list.ts';
import type { Visitor } from '../../context/device-detector.ts';
import { networkOf } from '../../context/network-of.ts';
import { compareSeals, type VisitorSeal } from '../../context/visitor-seal.ts';
import type { HitSignals, RequestReason, ServedAd } from '../../ledger/hit.ts';
import { isElsewhere, judgeRequest } from './rules.ts';

/** The sender of a hit, as its request shows it. */
export interface HitSender {
  readonly visitor: Visitor;
  readonly ip: string | null;
  /** The origin of the page; null: the request names none. */
  readonly origin: string | null;
  readonly prefetch: boolean;
  /** The page says that the ad could not be seen. */
  readonly hidden: boolean;
}

export interface Screened {
  readonly invalidReason: '' | RequestReason;
  /** undefined: nothing may be kept. */
  readonly signals: HitSignals | undefined;
}

export interface ScreenHitOptions {
  readonly dataCenters: AddressList;
  readonly seal: VisitorSeal['seal'];
  /** The key of the seals (context/visitor-seal.ts); undefined: the catalog has not been loaded. */
  readonly sealKey: () => string | undefined;
  /** Whether a page of this origin may show ads of the publisher. */
  readonly acceptsOrigin: (publisherId: number, origin: string) => boolean;
}

export type ScreenHit = (ad: ServedAd, sender: HitSender) => Screened;

/**
 * Judges a hit by its request, and says what of it may be kept: this is the only place that writes
 * signals of a sender. About 0.5 µs: the lookups are cached.
 */
export const createScreenHit =
  ({ dataCenters, seal, sealKey, acceptsOrigin }: ScreenHitOptions): ScreenHit =>
  (ad, { visitor, ip, origin, prefetch, hidden }) => {
    const key = ad.seal === undefined ? undefined : sealKey();
    const elsewhere =
      ad.seal !== undefined &&
      key !== undefined &&
      isElsewhere(compareSeals(ad.seal, seal(key, { browser: visitor.browser, ip, origin }, null)));
    return {
      invalidReason: judgeRequest({
        prefetch,
        hidden,
        malformedAgent: visitor.malformed,
        spider: visitor.spider,
        dataCenter: dataCenters.has(ip),
        foreignOrigin: origin !== null && !acceptsOrigin(ad.publisherId, origin),
        elsewhere,
      }),
      signals:
        ad.unmeasured === true ? undefined : { network: ip === null ? null : networkOf(ip), agent: visitor.agent, origin, elsewhere },
    };
  };
