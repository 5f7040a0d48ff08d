import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import type { Hit } from '../../ledger/hit.ts';
import { userPartOf } from '../../ledger/settle/actor.ts';
import { arrayLiteral } from './array-literal.ts';

/** A hit, and why it is filtered; '': it counts. */
interface SettledHit {
  readonly hit: Hit;
  readonly reason: string;
}

/** The signals of senders are kept for so many days, or as long as the events if that is shorter. */
export const SIGNALS_DAYS = 30;

/** The key of an event row and of its signals. */
const ROW_KEY = 'day, jti, kind, event_type, screened';

// A day whose signals have been dropped takes no more of them.
const STORE_SIGNALS = `
  insert into event_signals (${ROW_KEY}, token_ends_at, network, agent, origin, elsewhere, user_part, hit)
  select * from unnest(?::date[], ?::text[], ?::text[], ?::text[], ?::boolean[], ?::timestamptz[], ?::text[], ?::text[], ?::text[],
                       ?::boolean[], ?::text[], ?::jsonb[]) as kept (${ROW_KEY})
  where 'event_signals_' || to_char(day, 'YYYYMMDD') in (
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'event_signals'::regclass)
  order by 1, 2, 3, 4, 5
  on conflict do nothing`;

/**
 * Stores what may be kept of the senders of hits, in the transaction that stores their events.
 */
export const storeSignals = async (trx: Knex.Transaction, events: readonly SettledHit[]): Promise<void> => {
  const kept = events.filter(({ hit }) => hit.signals !== undefined);
  if (kept.length === 0) return;
  const column = (read: (hit: Hit, reason: string) => string | boolean | null | undefined): string =>
    arrayLiteral(kept.map(({ hit, reason }) => read(hit, reason)));
  await trx.raw(STORE_SIGNALS, [
    column(({ ad }) => dateOfDay(ad.day)),
    column(({ ad }) => ad.tokenId),
    column(({ kind }) => kind),
    column(({ eventType }) => eventType),
    column(({ invalidReason }) => invalidReason !== ''),
    column(({ ad }) => new Date(ad.tokenExpS * 1000).toISOString()),
    column(({ signals }) => signals?.network),
    column(({ signals }) => signals?.agent),
    column(({ signals }) => signals?.origin),
    column(({ signals }) => signals?.elsewhere),
    column(({ ad }) => userPartOf(ad)),
    column((hit, reason) => (reason === '' ? null : JSON.stringify(countableHit(hit)))),
  ]);
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
