import type { Hit } from './hit.ts';
import type { LedgerKeys } from './ledger-keys.ts';

/** What stands in the catalog now about the line item of a hit; -1 where nothing bounds it, or where it has been deleted since. */
export interface HitLimits {
  readonly frequencyWindowMs: number;
  readonly dailySpendCapMicros: number;
  readonly budgetMicros: number;
  readonly campaignBudgetMicros: number;
  readonly expiresAtMs: number;
}

/** The arguments of lua/settle.lua, the number of keys first. */
export const encodeSettle = (keys: LedgerKeys, hit: Hit, limits: HitLimits, late: boolean): [number, ...(string | number)[]] => {
  const { ad, kind, eventType, invalidReason } = hit;
  const shard = keys.shardOf(ad.publisherId);
  const accounts = keys.accounts(ad.publisherId);
  const label = eventType === '' ? kind : `${kind}:${eventType}`;
  const prefetch = invalidReason === 'prefetch';
  return [
    6,
    accounts,
    keys.seen(ad.publisherId, ad.tokenId),
    ad.userHash === null ? accounts : keys.places(ad.publisherId, ad.userHash),
    keys.events(shard),
    keys.eventTally(shard),
    keys.serves(shard),
    prefetch ? `${label}!prefetch` : label,
    prefetch ? 'record' : kind,
    JSON.stringify([
      String(ad.publisherId),
      String(ad.lineItemId),
      String(ad.campaignId),
      String(ad.creativeId),
      ad.priceMicros,
      ad.perClick,
      ad.day,
      ad.holdEndMs,
      ad.tokenExpS,
      ad.userHash !== null,
      limits.frequencyWindowMs,
      limits.dailySpendCapMicros,
      limits.budgetMicros,
      limits.campaignBudgetMicros,
      Math.ceil(limits.expiresAtMs / 1000),
      late,
    ]),
    JSON.stringify(hit),
    late ? hit.atMs : '',
    eventType,
  ];
};
