import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import type { Hit } from '../../ledger/hit.ts';
import { userPartOf } from '../../ledger/settle/actor.ts';
import { arrayLiteral } from './array-literal.ts';
import { copyRows, type CopiedValue } from './copy-rows.ts';

/** A hit, and why it is filtered; '': it counts. */
interface SettledHit {
  readonly hit: Hit;
  readonly reason: string;
}

/** The signals of senders are kept for so many days, or as long as the events if that is shorter. */
export const SIGNALS_DAYS = 30;

type Read = (hit: Hit, reason: string) => CopiedValue;
const COLUMNS: readonly (readonly [name: string, type: string, read: Read])[] = [
  ['day', 'date', ({ ad }) => dateOfDay(ad.day)],
  ['jti', 'text', ({ ad }) => ad.tokenId],
  ['kind', 'text', ({ kind }) => kind],
  ['event_type', 'text', ({ eventType }) => eventType],
  ['screened', 'boolean', ({ invalidReason }) => invalidReason !== ''],
  ['token_ends_at', 'timestamptz', ({ ad }) => new Date(ad.tokenExpS * 1000).toISOString()],
  ['network', 'text', ({ signals }) => signals?.network],
  ['agent', 'text', ({ signals }) => signals?.agent],
  ['origin', 'text', ({ signals }) => signals?.origin],
  ['elsewhere', 'boolean', ({ signals }) => signals?.elsewhere],
  ['user_part', 'text', ({ ad }) => userPartOf(ad)],
  ['hit', 'jsonb', (hit, reason) => (reason === '' ? null : JSON.stringify(countableHit(hit)))],
];
const NAMES = COLUMNS.map(([name]) => name).join(', ');

// A day whose signals have been dropped takes no more of them.
const HAS_PARTITION = `
  'event_signals_' || to_char(day, 'YYYYMMDD') in (
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'event_signals'::regclass)`;

const STORE_SIGNALS = `
  insert into event_signals (${NAMES})
  select * from unnest(${COLUMNS.map(([, type]) => `?::${type}[]`).join(', ')}) as kept (${NAMES})
  where ${HAS_PARTITION}
  order by 1, 2, 3, 4, 5
  on conflict do nothing`;

const keptOf = (events: readonly SettledHit[]): readonly SettledHit[] => events.filter(({ hit }) => hit.signals !== undefined);

/** Stores what may be kept of the senders of hits, in the transaction that stores their events. */
export const storeSignals = async (trx: Knex.Transaction, events: readonly SettledHit[]): Promise<void> => {
  const kept = keptOf(events);
  if (kept.length === 0) return;
  await trx.raw(
    STORE_SIGNALS,
    COLUMNS.map(([, , read]) => arrayLiteral(kept.map(({ hit, reason }) => read(hit, reason)))),
  );
};

/** The same of hits of which no row is there yet: otherwise it rejects with 23505. */
export const copySignals = async (trx: Knex.Transaction, events: readonly SettledHit[]): Promise<void> => {
  const kept = keptOf(events);
  if (kept.length === 0) return;
  const days = [...new Set(kept.map(({ hit }) => dateOfDay(hit.ad.day)))];
  const { rows } = await trx.raw<{ rows: { day: string }[] }>(
    `select to_char(day, 'YYYY-MM-DD') as day from unnest(?::date[]) as days (day) where ${HAS_PARTITION}`,
    [arrayLiteral(days)],
  );
  const taken = new Set(rows.map(({ day }) => day));
  await copyRows(
    trx,
    `event_signals (${NAMES})`,
    kept
      .filter(({ hit }) => taken.has(dateOfDay(hit.ad.day)))
      // In the order of the index, as its pages are written.
      .toSorted((a, b) => (a.hit.ad.tokenId < b.hit.ad.tokenId ? -1 : 1))
      .map(({ hit, reason }) => COLUMNS.map(([, , read]) => read(hit, reason))),
  );
};

/** What counting a filtered hit would take: the hit without what other columns hold. */
const countableHit = ({ signals: _, restored: __, ad: { seal: ___, ...ad }, ...hit }: Hit): Hit => ({ ...hit, ad });

/** The payload is text that contains the hit as JSON text, so its quotes are escaped. */
const SIGNALS_IN_TEXT = String.raw`,\\"signals\\":\{.*?\\"elsewhere\\":(true|false)\}`;

/** Takes the signals out of dead events of before `beforeDay`. */
export const forgetSignalsOfDead = async (knex: Knex, beforeDay: number): Promise<void> => {
  await knex.raw(
    `update dead_events set payload = regexp_replace(payload, ?, '') where at < ?::date and position('signals' in payload) > 0`,
    [SIGNALS_IN_TEXT, dateOfDay(beforeDay)],
  );
};
