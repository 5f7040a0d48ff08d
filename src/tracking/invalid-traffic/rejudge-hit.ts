import type { AddressList } from '../../context/address-list.ts';
import type { DeviceDetector } from '../../context/device-detector.ts';
import { REQUEST_REASONS, type HitSignals, type InvalidReason, type RequestReason } from '../../ledger/hit.ts';
import { judgeRequest } from './rules.ts';

/** What is stored of a hit. */
export interface StoredHitFacts {
  readonly publisherId: number;
  /** Why it is filtered; '': it counts. */
  readonly reason: '' | InvalidReason;
  readonly signals: HitSignals;
}

export interface RejudgeOptions {
  readonly dataCenters: AddressList;
  readonly visitorOf: DeviceDetector;
  /** undefined: the publisher is gone, and its rule cannot be judged. */
  readonly acceptsOrigin: (publisherId: number, origin: string) => boolean | undefined;
}

/** undefined: the stored signals do not say; the hit stays as it is. */
export type RejudgeHit = (hit: StoredHitFacts) => '' | RequestReason | undefined;

/**
 * Judges a stored hit by the rules and lists of now. A fact that its signals do not tell is taken to
 * be as it was: the headers of a prefetch, a hidden ad, a user agent whose names read differently from the whole,
 * an address in a network of which only a part is listed, and every rule that is off.
 */
export const createRejudgeHit =
  ({ dataCenters, visitorOf, acceptsOrigin }: RejudgeOptions): RejudgeHit =>
  ({ publisherId, reason, signals: { network, agent, origin, elsewhere } }) => {
    const visitor = agent === null ? undefined : visitorOf(agent);
    const listed = network === null ? 'none' : dataCenters.partOf(network);
    const isListKnown = dataCenters.size > 0 && listed !== 'some';
    const accepts = origin === null ? true : acceptsOrigin(publisherId, origin);
    const verdict = judgeRequest({
      prefetch: reason === 'prefetch',
      hidden: reason === 'hidden',
      malformedAgent: visitor?.malformed ?? reason === 'malformed_agent',
      spider: visitor?.spider ?? reason === 'spider',
      dataCenter: isListKnown ? listed === 'all' : reason === 'data_center',
      foreignOrigin: accepts === undefined ? reason === 'foreign_origin' : !accepts,
      elsewhere,
    });
    const wasFiltered = REQUEST_REASONS.some((one) => one === reason);
    return verdict === '' && wasFiltered && listed === 'some' ? undefined : verdict;
  };
