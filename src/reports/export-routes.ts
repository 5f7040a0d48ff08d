import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { fileHeaders, fileReply, refuse, type Handlers } from '../api/route.ts';
import { dayOf } from '../base/utc-day.ts';
import { recordChange } from '../bookings/audit-trail.ts';
import { hasEvents, readEvents, type EventRow } from '../events/export/read-events.ts';
import { EVENT_MEDIA_TYPES, writeEvents, type EventFormat } from '../events/export/write-events.ts';
import type { EXPORT_API } from './export-api.ts';

export interface ExportRoutesOptions {
  /** Writes the audit trail. */
  readonly knex: Knex;
  /** The connections of reports. */
  readonly reportKnex: Knex;
}

/** A page keeps the event loop busy for about 10 ms; then ads have the replica for REST_MS. */
const ROWS_AT_ONCE: Readonly<Record<EventFormat, number>> = { csv: 500, parquet: 2_000 };
const REST_MS = 40;
const RETRY_SECONDS = 30;

/**
 * The events of a day as a file. One at a time on each replica, and slowly, so that it does not delay
 * ads. The audit trail names who exported what.
 */
export const exportRoutes = ({ knex, reportKnex }: ExportRoutesOptions): Handlers<typeof EXPORT_API> => {
  let isRunning = false;
  return {
    exportEvents: async ({ day: date, format, columns, publisher_id: publisherId }, { actor, isHead, caller: { publishers } }) => {
      if (publishers && (publisherId === undefined || !publishers.includes(publisherId)))
        return refuse('invalid_request', 'publisher_id must be one of your publishers: your access is for some.', [
          { pointer: '/publisher_id', detail: 'must be one of your publishers' },
        ]);
      const day = dayOf(Date.parse(date));
      if (!(await hasEvents(reportKnex, day)))
        return refuse('not_found', `No events of ${date} are stored: there were none, or EVENT_RETENTION has passed.`);
      return fileReply(async (begin) => {
        if (isRunning) {
          const retry = { 'Retry-After': String(RETRY_SECONDS) };
          return refuse('too_many_requests', 'Another export is running on this replica. Ask again when it has ended.', undefined, retry);
        }
        const headers = fileHeaders(`events_${date}.${format}`, EVENT_MEDIA_TYPES[format]);
        if (isHead) {
          begin(headers).end();
          return undefined;
        }
        isRunning = true;
        try {
          const after = { format, columns, publisher_id: publisherId ?? null };
          const change = { actor, action: 'export_events', entity: 'events', entityId: date, before: null, after } as const;
          await knex.transaction((trx) => recordChange(trx, change));
          const pages = readEvents(reportKnex, { day, publisherId, columns }, ROWS_AT_ONCE[format]);
          await pipeline(writeEvents(format, columns, rested(pages)), begin(headers));
          return undefined;
        } finally {
          isRunning = false;
        }
      });
    },
  };
};

async function* rested(pages: AsyncIterable<readonly EventRow[]>): AsyncGenerator<readonly EventRow[]> {
  for await (const page of pages) {
    yield page;
    await sleep(REST_MS);
  }
}
