import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import type { Hit } from '../../ledger/hit.ts';
import { userPartOf } from '../../ledger/settle/actor.ts';
import { copyRows, type CopiedColumns } from './copy-rows.ts';
import { partitionOf, partitionsOf } from './partitions.ts';

/** A hit, and why it is filtered; '': it counts. */
interface SettledHit {
  readonly hit: Hit;
  readonly reason: string;
}

/** The signals of senders are kept for so many days, or as long as the events if that is shorter. */
export const SIGNALS_DAYS = 30;

const COLUMNS: CopiedColumns<SettledHit> = [
  ['day', ({ hit }) => dateOfDay(hit.ad.day)],
  ['jti', ({ hit }) => hit.ad.tokenId],
  ['kind', ({ hit }) => hit.kind],
  ['event_type', ({ hit }) => hit.eventType],
  ['screened', ({ hit }) => hit.invalidReason !== ''],
  ['token_ends_at', ({ hit }) => new Date(hit.ad.tokenExpS * 1000).toISOString()],
  ['network', ({ hit }) => hit.signals?.network],
  ['agent', ({ hit }) => hit.signals?.agent],
  ['origin', ({ hit }) => hit.signals?.origin],
  ['elsewhere', ({ hit }) => hit.signals?.elsewhere],
  ['user_part', ({ hit }) => userPartOf(hit.ad)],
  ['hit', ({ hit, reason }) => (reason === '' ? null : JSON.stringify(countableHit(hit)))],
];

/** Whether the signals of a day, in days since the epoch, are kept. */
export type TakesSignals = (day: number) => boolean;

/** A day whose signals have been dropped takes no more of them. */
export const readTakesSignals = async (trx: Knex.Transaction): Promise<TakesSignals> => {
  const taken = new Set(await partitionsOf(trx, 'event_signals'));
  return (day) => taken.has(partitionOf(dateOfDay(day), 'event_signals'));
};

/**
 * Stores what may be kept of the senders of hits whose rows are new, in the transaction that stores these: the table has no index that
 * would refuse what is there already, because it would cost as much as the rows.
 */
export const copySignals = (trx: Knex.Transaction, events: readonly SettledHit[], takesSignals: TakesSignals): Promise<void> =>
  copyRows(
    trx,
    'event_signals',
    COLUMNS,
    events.filter(({ hit }) => hit.signals !== undefined && takesSignals(hit.ad.day)),
  );

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
