import { encodeRow, luaConstants, luaReader, luaShortReader, luaTable, rowOf, type FieldValue } from '../../redis/script-fields.ts';
import { CLIENT_RULE } from '../client-rule.ts';
import { callKeys, type CallScope, type ScriptCall } from '../call-keys.ts';
import { billsHit, NOT_USED, takesFromHold, type Hit, type LedgerReason, type RestoredHit, type Settled } from '../hit.ts';
import { hitText } from '../hit-text.ts';
import { capTriples, countsOf } from '../frequency-counters.ts';
import { accountField, filteredField, servesField, type LedgerKeys } from '../ledger-keys.ts';
import { holdsPrice, type Limits } from '../limits.ts';
import { storedHit } from '../stored-hit.ts';
import { ACCOUNT_LUA } from '../set-aside.ts';
import { ACTIVITY_RULE, UNKNOWN_AT, type ActivityRule } from './activity-rule.ts';
import { networkAt, networkName, userAt, visitorName } from './actor.ts';
import { CLICK_TIMES } from './click-times.ts';

/** The catalog's current data on the line item of a hit. */
export interface HitLimits {
  readonly limits: Limits;
  /** When the publisher's accounts expire, epoch ms. */
  readonly expiresAtMs: number;
}

/** The value of a limit that is not set. */
const NONE = -1;

const FIRST_FIELDS = [
  'publisher',
  'token',
  'lineItem',
  'campaign',
  'priceMicros',
  'bills',
  'day',
  'holdEndMs',
  'tokenExpS',
  'hasUser',
  'counted',
  'expiresAtS',
  'servedAtMs',
  'client',
  'userAt',
  'networkAt',
] as const;

/** The other fields, with their values in most hits: an impression that has a hold. */
const OTHER_FIELDS = {
  label: 'impression',
  action: 'impression',
  tally: '',
  eventTally: '',
  filteredTally: '',
  reason: '',
  dailySpendMicros: NONE,
  budgetMicros: NONE,
  campaignBudgetMicros: NONE,
  campaignDailyMicros: NONE,
  lateAtMs: 0,
  impressionAtMs: 0,
  restored: '',
  isHeld: false,
  visitor: '',
  network: '',
};

const OTHER_NAMES = Object.keys(OTHER_FIELDS) as (keyof typeof OTHER_FIELDS)[];

type Row<Fields extends readonly string[]> = { readonly [Place in keyof Fields]: FieldValue };

/** What bounds a hit that is restored. */
const RESTORED_FIELDS = ['reason', 'dailyImpressions', 'goalImpressions', 'caps'] as const;

/** The generated part of settle.lua, and of judge-clicks.lua. */
export const settleLua = (activityRule: ActivityRule = ACTIVITY_RULE): readonly string[] => [
  ...ACCOUNT_LUA,
  luaConstants('CLICK_', CLICK_TIMES),
  luaConstants('CLIENT_', CLIENT_RULE),
  luaTable('ACTIVITY', activityRule),
  luaConstants('ACTIVITY_', { unknownAt: UNKNOWN_AT }),
  luaShortReader('hit_record', FIRST_FIELDS, OTHER_FIELDS),
  luaReader('restored_record', RESTORED_FIELDS),
];

/** One hit for settle.lua. */
export interface SettleCall {
  readonly hit: Hit;
  readonly limits: HitLimits;
  /** Whether it waited in Postgres. */
  readonly late: boolean;
  /** When the impression of a click, or of an event that bills, was counted, if its event row says so. */
  readonly impressionAtMs: number | undefined;
}

/** Arguments of each hit, after the first one of the call: the second of them is the text of its event. */
export const ARGS_OF_HIT = 2;

/** The keys and arguments of settle.lua. */
export const encodeSettles = (calls: readonly SettleCall[], keys: LedgerKeys, scope: CallScope): ScriptCall => {
  const own: string[] = [];
  for (const { hit } of calls) {
    const { publisherId, tokenId, userHash } = hit.ad;
    own.push(keys.seen(publisherId, tokenId));
    if (userHash !== null) own.push(keys.places(publisherId, userHash));
  }
  const ads = calls.map(({ hit }) => hit.ad);
  const call = callKeys(ads, (publisherId) => publisherKeys(keys, publisherId), own, scope);
  const args = [call.scope];
  for (const one of calls) args.push(encodeSettle(one, call.positionOf(one.hit.ad.publisherId)), hitText(storedHit(one.hit)));
  return { keys: call.keys, args };
};

const publisherKeys = (keys: LedgerKeys, publisherId: number): readonly string[] => {
  const shard = keys.shardOf(publisherId);
  return [
    keys.accounts(publisherId),
    keys.events(shard),
    keys.eventTally(shard),
    keys.serves(shard),
    keys.broken(shard),
    keys.clients(publisherId),
  ];
};

const encodeSettle = ({ hit, limits: { limits, expiresAtMs }, late, impressionAtMs = 0 }: SettleCall, publisher: number): string => {
  const { ad, kind, eventType, invalidReason, atMs, restored } = hit;
  const bills = billsHit(hit);
  const isRelease = kind === 'event' && eventType === NOT_USED && invalidReason === '';
  // By hand, in the order of FIRST_FIELDS: most hits send these alone.
  const first: Row<typeof FIRST_FIELDS> = [
    publisher,
    ad.tokenId,
    accountField('l', ad.lineItemId),
    accountField('c', ad.campaignId),
    ad.priceMicros,
    // What a release gives back is what was held.
    isRelease ? holdsPrice(ad.billsOn) : bills,
    ad.day,
    ad.holdEndMs,
    ad.tokenExpS,
    ad.userHash !== null,
    ad.counted === undefined || (kind === 'event' && !isRelease)
      ? false
      : countsOf(ad.counted, kind === 'click' ? 'clicks' : 'impressions'),
    Math.ceil(expiresAtMs / 1000),
    ad.servedAtMs,
    ad.isFree === true || restored ? '' : (ad.client ?? ''),
    // As texts, in which the script passes them on.
    String(userAt(ad)),
    String(networkAt(ad)),
  ];
  const isFiltered = invalidReason !== '';
  if (kind === 'impression' && !isFiltered && !restored && !late && ad.holdEndMs > 0) return JSON.stringify(first);
  const named = eventType === '' ? kind : `${kind}:${eventType}`;
  // A hit may be restored again after it was filtered again.
  const label = restored ? `${named}+${restored.atMs}` : named;
  const others = rowOf(OTHER_NAMES, {
    label: isFiltered ? `${label}!` : label,
    action: isFiltered ? 'record' : isRelease ? 'release' : kind,
    tally: ad.holdEndMs === 0 || kind === 'click' ? servesField(ad.publisherId, ad.campaignId, ad.lineItemId, ad.creativeId) : '',
    eventTally: kind === 'event' ? `${ad.lineItemId}:${eventType}` : '',
    filteredTally: kind === 'click' || (kind === 'event' && bills) || isFiltered || restored ? filteredField(ad.lineItemId, kind) : '',
    reason: invalidReason,
    dailySpendMicros: limits.dailySpendMicros ?? NONE,
    budgetMicros: limits.budgetMicros ?? NONE,
    campaignBudgetMicros: limits.campaignBudgetMicros ?? NONE,
    campaignDailyMicros: limits.campaignDailyMicros ?? NONE,
    lateAtMs: late ? atMs : 0,
    impressionAtMs,
    restored: restored ? encodeRestored(restored, limits) : '',
    isHeld: kind !== 'impression' && takesFromHold(hit),
    visitor: kind === 'click' ? visitorName(ad) : '',
    network: kind === 'click' ? networkName(ad) : '',
  });
  return JSON.stringify([...first, ...others]);
};

const encodeRestored = ({ reason }: RestoredHit, { dailyImpressions, goalImpressions, frequency }: Limits): string => {
  const caps = capTriples((frequency ?? []).filter(({ of }) => of === 'impressions'));
  return encodeRow(RESTORED_FIELDS, {
    reason,
    dailyImpressions: dailyImpressions ?? NONE,
    goalImpressions: goalImpressions ?? NONE,
    caps: caps.length > 0 && caps,
  });
};

/** undefined: the accounts are not rebuilt since Redis lost data, and nothing was done. */
export const decodeSettled = (reply: string): Settled | undefined => {
  const [outcome, foundHold, reason, click, event] = reply.split(' ');
  if (outcome === 'closed') return undefined;
  return {
    outcome: outcome as Settled['outcome'],
    foundHold: foundHold === '1',
    reason: reason === '-' ? undefined : (reason as LedgerReason),
    click: click === '-' ? undefined : (click as Settled['click']),
    event: event === '-' ? undefined : (event as Settled['event']),
  };
};
