import { encodeRow, luaConstants, luaReader } from '../../redis/script-fields.ts';
import type { Hit, OrderReason, Settled } from '../hit.ts';
import { accountField, servesField, type LedgerKeys } from '../ledger-keys.ts';
import type { Limits } from '../limits.ts';
import { ACCOUNT_LUA } from '../set-aside.ts';
import { CLICK_TIMES } from './click-times.ts';

/** The catalog's current data on the line item of a hit. */
export interface HitLimits {
  readonly limits: Limits;
  /** When the publisher's accounts expire, epoch ms. */
  readonly expiresAtMs: number;
}

const HIT_FIELDS = [
  'token',
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
  'servedAtMs',
  'impressionAtMs',
] as const;

/** The generated part of settle.lua. */
export const SETTLE_LUA: readonly string[] = [...ACCOUNT_LUA, luaConstants('CLICK_', CLICK_TIMES), luaReader('hit_record', HIT_FIELDS)];

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
  impressionAtMs = 0,
): string => {
  const label = eventType === '' ? kind : `${kind}:${eventType}`;
  const isFiltered = invalidReason !== '';
  return encodeRow(HIT_FIELDS, {
    token: ad.tokenId,
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
    servedAtMs: ad.servedAtMs,
    impressionAtMs,
  });
};

export const decodeSettled = (reply: string): Settled => {
  const [outcome, foundHold, reason, click] = reply.split(' ');
  return {
    outcome: outcome as Settled['outcome'],
    foundHold: foundHold === '1',
    reason: reason === '-' ? undefined : (reason as OrderReason),
    click: click === '-' ? undefined : (click as Settled['click']),
  };
};
