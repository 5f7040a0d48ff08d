import { setTimeout as sleep } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { Router } from 'express';
import type { Knex } from 'knex';
import { unknownFields, type Fault } from '../base/fault.ts';
import { dateOfDay, dayOf } from '../base/utc-day.ts';
import { DEFAULT_EVENT_COLUMNS, EVENT_COLUMN_NAMES, readEventColumns } from '../events/export/event-columns.ts';
import { hasEvents, readEvents, type EventRow, type EventsToExport } from '../events/export/read-events.ts';
import { EVENT_FORMATS, EVENT_MEDIA_TYPES, writeEvents, type EventFormat } from '../events/export/write-events.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { actorOf } from '../api/admin-gate.ts';
import { recordChange } from '../bookings/audit-trail.ts';
import { searchOf } from '../bookings/list-query.ts';
import { fileHeaders } from './report-routes.ts';

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
 * GET /events: the events of a day as a file. One at a time on each replica, and slowly, so that it does
 * not delay ads. The audit trail names who exported what.
 */
export const exportRoutes = ({ knex, reportKnex }: ExportRoutesOptions): Router => {
  let isRunning = false;
  const router = Router();
  const events = router.route('/events');
  events.get(async (req, res) => {
    const asked = readExport(searchOf(req));
    if (!asked.ok) return sendProblem(res, problem('invalid_request', 'The events cannot be exported.', asked.faults));
    const { format, ...wanted } = asked.value;
    const day = dateOfDay(wanted.day);
    if (!(await hasEvents(reportKnex, wanted.day)))
      return sendProblem(res, problem('not_found', `No events of ${day} are stored: there were none, or EVENT_RETENTION has passed.`));
    if (isRunning)
      return sendProblem(res, problem('too_many_requests', 'Another export is running on this replica. Ask again when it has ended.'), {
        'Retry-After': String(RETRY_SECONDS),
      });
    const headers = fileHeaders(`events_${day}.${format}`, EVENT_MEDIA_TYPES[format]);
    if (req.method === 'HEAD') return void res.writeHead(200, headers).end();
    isRunning = true;
    try {
      const what = { format, columns: wanted.columns, publisher_id: wanted.publisherId ?? null };
      const change = { actor: actorOf(res), action: 'export_events', entity: 'events', entityId: day } as const;
      await knex.transaction((trx) => recordChange(trx, { ...change, before: null, after: what }));
      res.writeHead(200, headers);
      await pipeline(writeEvents(format, wanted.columns, rested(readEvents(reportKnex, wanted, ROWS_AT_ONCE[format]))), res);
    } finally {
      isRunning = false;
    }
  });
  events.all(methodNotAllowed('GET, HEAD'));
  return router;
};

async function* rested(pages: AsyncIterable<readonly EventRow[]>): AsyncGenerator<readonly EventRow[]> {
  for await (const page of pages) {
    yield page;
    await sleep(REST_MS);
  }
}

type Asked =
  | { readonly ok: true; readonly value: EventsToExport & { readonly format: EventFormat } }
  | { readonly ok: false; readonly faults: readonly Fault[] };

const PARAMETERS = ['day', 'format', 'publisher_id', 'columns'] as const;

const readExport = (search: URLSearchParams): Asked => {
  const faults: Fault[] = [...unknownFields(Object.fromEntries(search), PARAMETERS)];
  const check = (pointer: string, holds: boolean, detail: string): void => void (holds || faults.push({ pointer, detail }));
  const [date, publisher] = [search.get('day') ?? '', search.get('publisher_id') ?? ''];
  const day = /^\d{4}-\d{2}-\d{2}$/.test(date) ? dayOf(Date.parse(date)) : Number.NaN;
  check('/day', Number.isFinite(day) && dateOfDay(day) === date, 'must be a day such as 2026-11-20');
  const format = EVENT_FORMATS.find((known) => known === (search.get('format') ?? EVENT_FORMATS[0]));
  check('/format', format !== undefined, `must be ${EVENT_FORMATS.join(' or ')}`);
  check('/publisher_id', /^([1-9]\d{0,8})?$/.test(publisher), 'must be the id of a publisher');
  const columns = search.has('columns') ? readEventColumns(search.get('columns') ?? '') : DEFAULT_EVENT_COLUMNS;
  check('/columns', columns !== undefined, `must be a list of: ${EVENT_COLUMN_NAMES.join(', ')}`);
  if (faults.length > 0 || !format || !columns) return { ok: false, faults };
  return { ok: true, value: { day, format, columns, publisherId: publisher === '' ? undefined : Number(publisher) } };
};
