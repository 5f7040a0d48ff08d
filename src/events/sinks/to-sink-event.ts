import type { Knex } from 'knex';
import { EVENT_COLUMN_NAMES, eventColumn, type EventContext } from '../export/event-columns.ts';
import { arrayLiteral } from '../postgres/array-literal.ts';
import { STILL_PAYS } from '../postgres/payers.ts';
import type { StoredEvent } from '../postgres/stored-event.ts';
import type { SinkEvent } from './event-sink.ts';

/** What Postgres would store with each of these events now. Rejects when it is unavailable. */
export type ReadContexts = (events: readonly StoredEvent[]) => Promise<(event: StoredEvent) => EventContext>;

const CONTEXTS = `
  select (select json_object_agg(id, time_zone) from publishers where id = any(?::int[])) as zones,
         (select json_object_agg(campaign_id, advertiser_id) from campaign_payers where ${STILL_PAYS} and campaign_id = any(?::int[])) as payers`;

type ById<T> = Readonly<Record<string, T>> | null;

export const createReadContexts =
  (knex: Knex): ReadContexts =>
  async (events) => {
    const idsOf = (read: (event: StoredEvent) => number): string => arrayLiteral([...new Set(events.map(read))]);
    const { rows } = await knex.raw<{ rows: [{ readonly zones: ById<string>; readonly payers: ById<number> }] }>(CONTEXTS, [
      idsOf(({ hit }) => hit.ad.publisherId),
      idsOf(({ hit }) => hit.ad.campaignId),
    ]);
    const [{ zones, payers }] = rows;
    return ({ hit: { ad } }) => ({ zone: zones?.[ad.publisherId] ?? 'UTC', advertiserId: payers?.[ad.campaignId] ?? 0 });
  };

const COLUMNS = EVENT_COLUMN_NAMES.map((name) => ({ name, ...eventColumn(name) }));

/** The columns of an event that is on its way, as Postgres will have them. */
export const toSinkEvent = (event: StoredEvent, context: EventContext, keepsUserHash: boolean): SinkEvent => {
  const values: Record<string, unknown> = {};
  for (const { name, type, of } of COLUMNS) {
    const value = of(event, context);
    values[name] = value === undefined || value === '' ? null : type === 'timestamp' ? new Date(value as number) : value;
  }
  if (!keepsUserHash) values['user_hash'] = null;
  return values as SinkEvent;
};
