import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import { maySee } from '../access/scope.ts';
import { XLSX_TYPE } from '../api/openapi-document.ts';
import {
  answer,
  done,
  fileHeaders,
  fileReply,
  GONE,
  noSuch,
  refuse,
  refuseWith,
  type FileReply,
  type Handlers,
  type Refused,
} from '../api/route.ts';
import { csvText } from '../base/csv.ts';
import { sizeInWords } from '../catalog/model/asset-rules.ts';
import { readBody } from '../http/request/read-body.ts';
import { createBookImport, type BookImportOptions, type BookOutcome } from './book-import.ts';
import { MAX_IMPORTS, type IMPORT_API } from './import-api.ts';
import { MAX_IMPORT_BYTES } from './files/import-limits.ts';
import { reportOf } from './import-report.ts';
import { addImport, findImport, listImports, readContent, readFiles, type ImportRow } from './import-store.ts';
import { keepDays } from './imported-days.ts';
import type { ImportReading, ReadImport } from './read-import.ts';
import { readInThread } from './read-in-thread.ts';
import { dumpCommand } from './files/dump-command.ts';
import { planOf, shownImport, type AppliedImport } from './show-import.ts';
import { templateFile } from './template-file.ts';

const RETRY_SECONDS = 5;
const NAME = /^[a-z0-9-]{1,32}$/;
const DOMAIN = /^[a-z0-9.-]+\.[a-z]{2,}$/i;

/** Days of history that are kept; of more, the last. */
const MAX_HISTORY = 200_000;

/** Bookings of other systems, read from files, looked at, and booked. */
export const importRoutes = (options: BookImportOptions & { readonly knex: Knex }): Handlers<typeof IMPORT_API> => {
  const { knex } = options;
  const bookImport = createBookImport(options);
  // A file may have 64 MiB, and its bookings hold the lock of the catalog.
  let isRunning = false;
  const alone = async <T>(work: () => Promise<T>): Promise<T | Refused> => {
    if (isRunning) return BUSY;
    isRunning = true;
    try {
      return await work();
    } finally {
      isRunning = false;
    }
  };
  const isPublisher = async ({ publishers }: Caller, id: number): Promise<boolean> =>
    maySee(publishers, id) && (await knex('publishers').where({ id }).first('id')) !== undefined;

  /** Tries out, or books, what an import has. */
  const run = async (row: ImportRow, caller: Caller, isApplied: boolean): Promise<AppliedImport | Refused> => {
    const content = await readContent(knex, row.id);
    if (!content) return APPLIED;
    const wanted = {
      ...{ content, files: await readFiles(knex, row.id), publisherId: content.publisher ? undefined : (row.publisher_id ?? undefined) },
      caller: { ...caller, note: caller.note ?? `import ${row.id}, ${row.file_name}` },
      ifState: isApplied ? row.state : undefined,
    };
    const outcome = await bookImport(
      wanted,
      isApplied
        ? async (trx, plan) => {
            const publisherId = plan.publisherId!;
            const applied = { content: null, applied_at: trx.fn.now(), applied_by: caller.name, publisher_id: publisherId };
            const changed = await trx('imports')
              .where({ id: row.id })
              .whereNull('applied_at')
              .update({ ...applied, plan: JSON.stringify(planOf(plan)) });
            // Another call has applied the import meanwhile.
            if (changed === 0) return false;
            await trx('import_files').where({ import_id: row.id }).delete();
            await keepDays(trx, { publisher_id: publisherId, source: row.source, days: content.history });
            return true;
          }
        : undefined,
    );
    // Applied meanwhile, it keeps the plan that was booked.
    if (!isApplied && outcome.kind === 'booked')
      await knex('imports')
        .where({ id: row.id })
        .whereNull('applied_at')
        .update({ plan: JSON.stringify(planOf(outcome.plan)), state: outcome.plan.state });
    const now = await findImport(knex, null, row.id);
    if (!now) return noSuch('import');
    const isOurs = isApplied && outcome.kind === 'booked';
    if (now.applied_at !== null && !isOurs) return APPLIED;
    if (outcome.kind !== 'booked') return refusalOf(outcome);
    return { ...now, ...(isApplied && outcome.plan.apiKey !== undefined && { apiKey: outcome.plan.apiKey }) };
  };

  const shown = (row: AppliedImport | Refused) => ('kind' in row ? row : answer(shownImport(row)));
  const withImport = async <T>(caller: Caller, id: number, use: (row: ImportRow) => T | Promise<T>): Promise<T | Refused> => {
    const row = await findImport(knex, caller.publishers, id);
    return row ? use(row) : noSuch('import');
  };

  return {
    createImport: (asked, { caller, request }) =>
      alone(async () => {
        const { source, file_name: fileName, publisher, name, prefix, agency, domain, currency } = asked;
        const faults = [
          ...(publisher === undefined && source !== 'revive' ? [{ pointer: '/publisher', detail: 'is required' }] : []),
          ...(name !== undefined && !NAME.test(name) ? [{ pointer: '/name', detail: 'must be small letters, digits and hyphens' }] : []),
          ...(currency !== undefined && !/^[A-Z]{3}$/.test(currency)
            ? [{ pointer: '/currency', detail: 'must be a code such as EUR' }]
            : []),
          ...(domain !== undefined && !DOMAIN.test(domain)
            ? [{ pointer: '/domain', detail: 'must be a domain such as news.example' }]
            : []),
        ];
        if (faults.length > 0) return refuse('invalid_request', 'The query has faults.', faults);
        if (publisher !== undefined && !(await isPublisher(caller, publisher))) return noSuch('publisher');
        const body = await readBody(request, MAX_IMPORT_BYTES);
        if ('gone' in body) return GONE;
        if ('refusal' in body) return body.refusal.code === 'body_too_large' ? TOO_LARGE : refuseWith(body.refusal);
        if (body.body.length === 0) return refuse('invalid_request', `The file ${fileName} is empty.`);
        const zone =
          publisher === undefined ? undefined : await knex('publishers').where({ id: publisher }).first<{ time_zone: string }>('time_zone');
        const reading = await readInThread({
          ...{ source, fileName, bytes: body.body, name, prefix, agency, domain, currency },
          ...{ timeZone: zone?.time_zone, isLiveOnly: asked.live === 'true' },
        });
        if (!reading.ok) return unreadable(reading);
        const { read } = reading;
        const content = contentOf(read, publisher);
        const outcome = await bookImport({ content, files: read.files, publisherId: publisher, caller, ifState: undefined });
        if (outcome.kind !== 'booked') return refusalOf(outcome);
        const { plan } = outcome;
        const known = publisher ?? (await publisherWithKey(knex, caller, read.publisher['key']));
        const row = await addImport(
          knex,
          {
            ...{ publisher_id: known ?? null, source, source_words: read.words, file_name: fileName, file_bytes: body.body.length },
            ...{ counts: read.counts, notes: read.notes, plan: planOf(plan), state: plan.state },
            ...{ history_days: content.history.length, created_by: caller.name },
          },
          content,
          read.files,
        );
        return shown(row);
      }),
    listImports: async (_, { caller }) =>
      answer(
        (await listImports(knex, caller.publishers, MAX_IMPORTS)).map((row) =>
          shownImport({ ...row, notes: [], plan: { ...row.plan, changes: [] } }, row.notes.length),
        ),
      ),
    getImport: ({ id }, { caller }) => withImport(caller, id, shown),
    planImport: ({ id }, { caller }) => alone(() => withImport(caller, id, async (row) => shown(await run(row, caller, false)))),
    applyImport: ({ id }, { caller }) => alone(() => withImport(caller, id, async (row) => shown(await run(row, caller, true)))),
    deleteImport: ({ id }, { caller }) =>
      withImport(caller, id, async () => {
        const deleted = await knex('imports').where({ id }).whereNull('applied_at').delete();
        if (deleted > 0) return done();
        return (await findImport(knex, null, id))
          ? refuse('conflict', 'The import has been applied: it is a part of the history.')
          : noSuch('import');
      }),
    getImportReport: ({ id, format }, { caller, isHead }) =>
      withImport(caller, id, (row): FileReply => {
        const type = format === 'md' ? 'text/markdown; charset=utf-8' : 'text/csv; charset=utf-8';
        const text = format === 'md' ? reportOf({ ...row, source: row.source_words }) : notesAsCsv(row);
        return textFile(`import_${id}.${format}`, type, isHead ? '' : text);
      }),
    getImportTemplate: async ({ format }, { isHead }) => {
      const { name, type, bytes } = await templateFile(format);
      return textFile(name, format === 'xlsx' ? XLSX_TYPE : type, isHead ? '' : bytes);
    },
  };
};

const contentOf = ({ publisher, lines, places, history }: ReadImport, into: number | undefined) => ({
  ...{ lines, places, publisher: into === undefined ? publisher : undefined },
  history: history.length > MAX_HISTORY ? [...history].sort((a, b) => (a.day < b.day ? 1 : -1)).slice(0, MAX_HISTORY) : history,
});

const publisherWithKey = async (knex: Knex, { publishers }: Caller, key: unknown): Promise<number | undefined> => {
  const found =
    typeof key === 'string' ? await knex('publishers').where({ external_key: key }).first<{ id: number } | undefined>('id') : undefined;
  return found && maySee(publishers, found.id) ? found.id : undefined;
};

const textFile = (name: string, type: string, text: string | Buffer): FileReply =>
  fileReply((begin) => {
    begin(fileHeaders(name, type)).end(text);
    return Promise.resolve(undefined);
  });

const notesAsCsv = ({ notes }: ImportRow): string =>
  csvText([['level', 'kind', 'id', 'name', 'text'], ...notes.map(({ level, kind, id, name, text }) => [level, kind, id, name, text])]);

const BUSY = refuse('too_many_requests', 'Another import is being read or booked by this replica. Try again.', undefined, {
  'Retry-After': String(RETRY_SECONDS),
});
const APPLIED = refuse('conflict', 'The import has been applied.');
const TOO_LARGE = refuse(
  'body_too_large',
  `The file is larger than ${sizeInWords(MAX_IMPORT_BYTES)}, and nothing was read. Divide a spreadsheet. Of Revive, pack the dump with gzip, or make one of the tables that are read: ${dumpCommand('rv_')}`,
);

const unreadable = ({ said, faults, option }: Extract<ImportReading, { readonly ok: false }>): Refused =>
  refuse('invalid_request', `${said}.`, option === undefined ? faults.map(atPlace) : [{ pointer: `/${option}`, detail: 'has to be said' }]);

/** A place in the file as the pointer of a fault: `/C2`. */
const atPlace = ({ place, detail }: { readonly place: string; readonly detail: string }) => ({
  pointer: place === '' ? '' : `/${place.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  detail,
});

const refusalOf = (outcome: Exclude<BookOutcome, { readonly kind: 'booked' }>): Refused => {
  switch (outcome.kind) {
    case 'stale':
      return refuse('precondition_failed', 'What is booked has changed since the plan, and nothing was booked: compare again.');
    case 'full':
      return refuse('assets_full', outcome.fault);
    case 'refused':
      return outcome.needsApproval
        ? refuse(
            'approval_required',
            'A second person has to approve what this changes, and nothing was booked.',
            outcome.faults.map(atPlace),
          )
        : refuse('invalid_request', `Nothing was changed. Faults: ${outcome.faults.length}.`, outcome.faults.map(atPlace));
  }
};
