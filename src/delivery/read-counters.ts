import type { Creative } from '../catalog/model/entities.ts';
import { withoutFrequencyCaps } from '../catalog/model/changed-line-item.ts';
import { rankDirect } from '../decision/rank-candidates.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { Account, AccountReader } from '../ledger/read/read-accounts.ts';
import type { LimitReading, ReadLimits } from '../ledger/read/read-limits.ts';
import { localDayOf } from '../base/local-day.ts';
import type { FilteredCounts, ReadFiltered } from '../ledger/read/read-filtered.ts';
import { priceInSlots, type LoadedLineItem } from './loaded-line-item.ts';

export interface CountersSource {
  readonly accounts: AccountReader;
  readonly readLimits: ReadLimits;
  readonly readFiltered: ReadFiltered;
  /** false: Redis is known to be away and is not asked. */
  readonly countersUp: () => boolean;
}

/** The counters of one line item. */
export interface Counters {
  /** undefined: nothing has been counted yet. */
  readonly account: Account | undefined;
  readonly limits: LimitReading | undefined;
  /** Filtered hits of the account's day and of the day before. */
  readonly filtered: { readonly today: FilteredCounts; readonly yesterday: FilteredCounts };
}

/** undefined: Redis is away, and the caller shows stored figures instead. */
export const readCounters = async (
  { accounts, readLimits, readFiltered, countersUp }: CountersSource,
  loaded: LoadedLineItem,
  atMs: number,
): Promise<Counters | undefined> => {
  if (!countersUp()) return undefined;
  const { id, publisherId } = loaded.lineItem;
  try {
    const [account] = await accounts.lineItems(publisherId, [id]);
    const [limits] = await readLimits({
      publisherId,
      userHash: null,
      curve: loaded.snapshot.curveAt(publisherId, atMs),
      candidates: [candidateForNewUser(loaded)],
    });
    const day = account?.day ?? localDayOf(loaded.snapshot.daysOf(publisherId, atMs), atMs);
    const [today, yesterday] = await Promise.all([readFiltered(publisherId, id, day), readFiltered(publisherId, id, day - 1)]);
    return { account, limits, filtered: { today, yesterday } };
  } catch {
    // The Redis client logs its own failures.
    return undefined;
  }
};

/**
 * The line item as a candidate for a user who has not seen it: without frequency caps.
 *
 * @param creatives its own
 */
export const candidateForNewUser = (
  { snapshot, lineItem, campaign }: LoadedLineItem,
  creatives: readonly Creative[] = snapshot.creativesOf(lineItem.id),
): RankedCandidate => {
  const creative = creatives[0] ?? NO_CREATIVE;
  const { ecpmMicros = 0, clickRate = 0 } = priceInSlots(snapshot, lineItem, creatives) ?? {};
  return rankDirect({ creative, campaign, lineItem: withoutFrequencyCaps(lineItem), ecpmMicros, clickRate }, -1);
};

const NO_CREATIVE = {
  id: 0,
  edition: 0,
  placementIds: [],
  lineItemId: 0,
  content: { format: 'html', markup: '' },
  advertiserDomain: null,
  categories: [],
  disclosure: [],
  hasOwnDomain: false,
  weight: 1,
  step: null,
  companionSet: null,
  stop: null,
  width: null,
  height: null,
  clickUrl: null,
} as const;
