import { encodeRow, luaReader } from '../../redis/script-fields.ts';
import type { Hit, Settled } from '../hit.ts';
import { accountField, servesField, type LedgerKeys } from '../ledger-keys.ts';
import type { Limits } from '../limits.ts';
import { ACCOUNT_LUA } from '../set-aside.ts';

/** The catalog's current data on the line item of a hit. */
export interface HitLimits {
  readonly limits: Limits;
  /** When the publisher's accounts expire, epoch ms. */
  readonly expiresAtMs: number;
}

const HIT_FIELDS = [
  'label',
  'action',
  'lineItem',
  'campaign',
  'tally',
  'eventTally',
  'priceMicros',
  'perClick',
  'day',
  'holdEndMs',
  'tokenExpS',
  'hasUser',
  'windowMs',
  'dailySpendMicros',
  'budgetMicros',
  'campaignBudgetMicros',
  'expiresAtS',
  'lateAtMs',
] as const;

/** The generated part of settle.lua. */
export const SETTLE_LUA: readonly string[] = [...ACCOUNT_LUA, luaReader('hit_record', HIT_FIELDS)];

/** The value of a limit that is not set. */
const NONE = -1;

/** The keys of settle.lua for one hit. */
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
    keys.broken(shard),
  ];
};

/** The input of settle.lua for one hit, in addition to the event that it stores. */
export const encodeSettle = (
  { ad, kind, eventType, invalidReason, atMs }: Hit,
  { limits, expiresAtMs }: HitLimits,
  late: boolean,
): string => {
  const label = eventType === '' ? kind : `${kind}:${eventType}`;
  const isFiltered = invalidReason !== '';
  return encodeRow(HIT_FIELDS, {
    label: isFiltered ? `${label}!` : label,
    action: isFiltered ? 'record' : kind,
    lineItem: accountField('l', ad.lineItemId),
    campaign: accountField('c', ad.campaignId),
    tally: servesField(ad.publisherId, ad.campaignId, ad.lineItemId, ad.creativeId),
    eventTally: `${ad.lineItemId}:${eventType}`,
    priceMicros: ad.priceMicros,
    perClick: ad.perClick,
    day: ad.day,
    holdEndMs: ad.holdEndMs,
    tokenExpS: ad.tokenExpS,
    hasUser: ad.userHash !== null,
    windowMs: limits.frequency?.windowMs ?? ad.windowMs ?? 0,
    dailySpendMicros: limits.dailySpendMicros ?? NONE,
    budgetMicros: limits.budgetMicros ?? NONE,
    campaignBudgetMicros: limits.campaignBudgetMicros ?? NONE,
    expiresAtS: Math.ceil(expiresAtMs / 1000),
    lateAtMs: late ? atMs : 0,
  });
};

export const decodeSettled = (reply: string): Settled => {
  const [outcome, foundHold] = reply.split(' ');
  return { outcome: outcome as Settled['outcome'], foundHold: foundHold === '1' };
};
