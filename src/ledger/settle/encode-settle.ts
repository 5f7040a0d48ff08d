import type { Hit } from '../hit.ts';
import { servesField, type LedgerKeys } from '../ledger-keys.ts';

/** What stands in the catalog now about the line item of a hit; -1 where nothing bounds it, or where it has been deleted since. */
export interface HitLimits {
  readonly frequencyWindowMs: number;
  readonly dailySpendCapMicros: number;
  readonly budgetMicros: number;
  readonly campaignBudgetMicros: number;
  readonly expiresAtMs: number;
}

/** The keys of lua/settle.lua for one hit. */
export const settleKeys = (keys: LedgerKeys, { ad }: Hit): string[] => {
  const shard = keys.shardOf(ad.publisherId);
  const accounts = keys.accounts(ad.publisherId);
  return [
    accounts,
    keys.seen(ad.publisherId, ad.tokenId),
    ad.userHash === null ? accounts : keys.places(ad.publisherId, ad.userHash),
    keys.events(shard),
    keys.eventTally(shard),
    keys.serves(shard),
  ];
};

/** What lua/settle.lua needs to know of one hit, beside the event that it stores. */
export const encodeSettle = ({ ad, kind, eventType, invalidReason, atMs }: Hit, limits: HitLimits, late: boolean): string => {
  const label = eventType === '' ? kind : `${kind}:${eventType}`;
  const prefetch = invalidReason === 'prefetch';
  return JSON.stringify([
    prefetch ? `${label}!prefetch` : label,
    prefetch ? 'record' : kind,
    `l${ad.lineItemId}`,
    `c${ad.campaignId}`,
    servesField(ad.publisherId, ad.campaignId, ad.lineItemId, ad.creativeId),
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
    late ? atMs : 0,
    `${ad.lineItemId}:${eventType}`,
  ]);
};
