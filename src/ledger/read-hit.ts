import { isObject } from '../base/narrow.ts';
import { MAX_WINDOW_S } from '../catalog/model/frequency-caps.ts';
import { MAX_COUNTED, MAX_COUNTER } from './frequency-counters.ts';
import { BILLS_ON } from './limits.ts';
import { INVALID_REASONS, type Hit, type ServedAd } from './hit.ts';
import { MS_PER_DAY } from '../base/utc-day.ts';

/** 9999-12-31: Postgres and ISO 8601 write later days differently. */
export const MAX_DAY = 2_932_896;
export const MAX_MS = (MAX_DAY + 1) * MS_PER_DAY - 1;

/** Whether a value is a whole number from 0 to `max`. */
export const isUpTo = (value: unknown, max: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max;

type Check = (value: unknown) => boolean;
type Checks<T> = { readonly [name in keyof T]-?: Check };

const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || isText(value);
const isFlag: Check = (value) => typeof value === 'boolean';
const isId: Check = Number.isSafeInteger;
const isAmount: Check = (value) => isUpTo(value, Number.MAX_SAFE_INTEGER);
const isTime: Check = (value) => isUpTo(value, MAX_MS);
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const isBounds: Check = (value) =>
  isObject(value) &&
  [value['dailySpendMicros'], value['budgetMicros'], value['campaignBudgetMicros'], value['campaignDailyMicros']].every(
    (limit) => limit === null || isAmount(limit),
  );

const isCounted: Check = (value) =>
  Array.isArray(value) &&
  value.length % 2 === 0 &&
  value.length <= MAX_COUNTED &&
  value.every((one, i) => isUpTo(one, i % 2 === 0 ? MAX_COUNTER : MAX_WINDOW_S));

const isSignals: Check = (value) =>
  isObject(value) && [value['network'], value['agent'], value['origin']].every(isTextOrNull) && isFlag(value['elsewhere']);

const isRestored: Check = (value) =>
  isObject(value) && INVALID_REASONS.some((reason) => reason === value['reason']) && isTime(value['atMs']);

const AD_CHECKS: Checks<ServedAd> = {
  tokenId: isText,
  publisherId: isId,
  campaignId: isId,
  lineItemId: isId,
  creativeId: isId,
  placementId: isText,
  size: orAbsent(isAmount),
  priceMicros: isAmount,
  billsOn: (value) => BILLS_ON.some((one) => one === value),
  day: (value) => isUpTo(value, MAX_DAY),
  holdEndMs: isTime,
  tokenExpS: (value) => isUpTo(value, MAX_MS / 1000),
  userHash: isTextOrNull,
  billingNotice: isFlag,
  spendBounds: orAbsent(isBounds),
  counted: orAbsent(isCounted),
  unmeasured: orAbsent(isFlag),
  servedAtMs: isTime,
  client: orAbsent(isText),
  isFree: orAbsent(isFlag),
  seal: orAbsent(isText),
};

const HIT_CHECKS: Checks<Omit<Hit, 'ad'>> = {
  kind: isText,
  eventType: isText,
  invalidReason: isText,
  atMs: isTime,
  country: isTextOrNull,
  device: isTextOrNull,
  region: orAbsent(isText),
  browser: orAbsent(isText),
  signals: orAbsent(isSignals),
  restored: orAbsent(isRestored),
};

type NamedChecks = readonly (readonly [name: string, check: Check])[];

const OF_AD: NamedChecks = Object.entries(AD_CHECKS);
const OF_HIT: NamedChecks = Object.entries(HIT_CHECKS);

/** Runs for each stored event: a loop takes 0.3 µs, `Object.entries(…).flatMap` 4. */
const passes = (value: Readonly<Record<string, unknown>>, checks: NamedChecks): boolean => {
  for (const [name, check] of checks) if (!check(value[name])) return false;
  return true;
};

const failing = (value: Readonly<Record<string, unknown>>, checks: NamedChecks): readonly string[] =>
  checks.filter(([name, check]) => !check(value[name])).map(([name]) => name);

/**
 * The hit in parsed JSON, such as a stream entry or a row of pending_hits. Ids, and characters, are
 * for Postgres to check; kinds and reasons may be those of a newer release.
 *
 * @throws when a field is missing or has a value that the ledger cannot count with
 */
export const readHit = (value: unknown): Hit => {
  if (!isObject(value) || !isObject(value['ad'])) throw new Error('it is not a hit');
  if (passes(value['ad'], OF_AD) && passes(value, OF_HIT)) return value as unknown as Hit;
  const wrong = [...failing(value['ad'], OF_AD), ...failing(value, OF_HIT)];
  throw new Error(`the hit has no valid ${wrong.join(', ')}`);
};
