import { pipeline } from 'node:stream/promises';
import type { Request } from 'express';
import type { Knex } from 'knex';
import { maySee } from '../access/scope.ts';
import { answer, fileHeaders, fileReply, GONE, noSuch, refuse, refuseWith, type Handlers, type Refused } from '../api/route.ts';
import type { CatalogWriter } from '../bookings/catalog-writer.ts';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';
import { readBody } from '../http/request/read-body.ts';
import { readJson } from '../http/request/read-json.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { applyDeclaration, type Plan } from './apply-declaration.ts';
import {
  LINES_TYPE,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENT_VALUES,
  MAX_LINES_BYTES,
  MAX_UNDECLARED,
  type DECLARATION_API,
} from './declaration-api.ts';
import { DECLARATION_FORMATS, exportDeclaration, installationOf } from './export-declaration.ts';
import { readDocument, readLines, type Entries } from './read-entries.ts';

export interface DeclarationRoutesOptions {
  readonly knex: Knex;
  readonly writer: CatalogWriter;
  readonly dimensions: DimensionSchema;
}

const RETRY_SECONDS = 3;

export const declarationRoutes = ({ knex, writer, dimensions }: DeclarationRoutesOptions): Handlers<typeof DECLARATION_API> => {
  // A body may have 32 MiB.
  let isRunning = false;
  const isPublisher = async (id: number): Promise<boolean> => (await knex('publishers').where({ id }).pluck<number[]>('id')).length > 0;
  return {
    exportBookings: async ({ publisher, format }, { caller, isHead, request }) => {
      const found = maySee(caller.publishers, publisher) && (await isPublisher(publisher));
      if (!found) return noSuch('publisher');
      const chosen = format ?? (request.accepts(Object.values(DECLARATION_FORMATS)) === DECLARATION_FORMATS.yaml ? 'yaml' : 'json');
      return fileReply(async (begin) => {
        const headers = { ...fileHeaders(`bookings_${publisher}.${chosen}`, DECLARATION_FORMATS[chosen]), Vary: 'Accept' };
        if (isHead) {
          begin(headers).end();
          return undefined;
        }
        await knex.transaction((trx) => pipeline(exportDeclaration(trx, publisher, chosen), begin(headers)), {
          isolationLevel: 'repeatable read',
          readOnly: true,
        });
        return undefined;
      });
    },

    applyBookings: async ({ publisher, dry_run: dryRun, prune, 'If-Match': ifMatch }, { caller, request }) => {
      if (isRunning)
        return refuse('too_many_requests', 'Another declaration is being applied by this replica. Try again.', undefined, {
          'Retry-After': String(RETRY_SECONDS),
        });
      isRunning = true;
      try {
        if (publisher !== undefined && !(maySee(caller.publishers, publisher) && (await isPublisher(publisher))))
          return noSuch('publisher');
        const read = await readEntries(request);
        if ('kind' in read) return read;
        const faults = [...read.faults, ...(await foreignIds(knex, read))];
        if (faults.length > 0) return refuse('invalid_request', 'The declaration is invalid.', faults);
        const isDry = dryRun === 'true';
        let plan: Plan | undefined;
        const options = { entries: read.entries, publisherId: publisher, caller, prune: prune === 'true', ifState: ifMatch, dimensions };
        await (isDry ? writer.tryOut : writer.together)(async (records, trx) => {
          plan = await applyDeclaration(records, trx, options);
          return plan.faults.length > 0 ? [...plan.written, REFUSED] : plan.written;
        });
        return plan ? answerOf(plan, isDry) : GONE;
      } finally {
        isRunning = false;
      }
    },
  };
};

const REFUSED = { ok: false, refusal: 'invalid', faults: [] } as const;

const readEntries = async (request: Request): Promise<Entries | Refused | typeof GONE> => {
  if (request.is(LINES_TYPE)) {
    const read = await readBody(request, MAX_LINES_BYTES);
    if ('body' in read) return readLines(read.body);
    return 'refusal' in read && read.refusal ? refuseWith(read.refusal) : GONE;
  }
  const read = await readJson(request, MAX_DOCUMENT_BYTES, undefined, MAX_DOCUMENT_VALUES);
  if (read.ok) return readDocument(read.value);
  return read.problem ? refuseWith(read.problem) : GONE;
};

/** Ids mean nothing in another installation than their own. Placements are named by their publishers. */
const foreignIds = async (knex: Knex, { entries, installation }: Entries) => {
  const [first] = entries.filter(({ id }) => typeof id === 'number');
  if (!first || installation === (await installationOf(knex))) return [];
  const detail = 'is an id of another installation: give the record a key there, and export it again';
  return [{ pointer: `${first.pointer}/id`, detail: installation === undefined ? 'needs the `installation` that the id is of' : detail }];
};

const answerOf = ({ publisherId, apiKey, state, changes, unchanged, undeclared, faults, written }: Plan, isDry: boolean) => {
  const refused = written.flatMap((one) => (one.ok ? [] : [one.refusal]));
  if (refused.includes('stale')) return refuse('precondition_failed', 'The bookings have changed since the plan: make another plan.');
  if (faults.length > 0) {
    const needsAnother = refused.length > 0 && refused.every((one) => one === 'approval_required');
    const code = needsAnother ? 'approval_required' : 'invalid_request';
    return refuse(code, `The declaration was refused, and nothing was changed: ${faults.length} faults.`, faults);
  }
  return answer({
    applied: !isDry,
    publisher_id: isDry && changes.some(({ action, kind }) => action === 'create' && kind === 'publisher') ? null : (publisherId ?? null),
    ...(apiKey !== undefined && !isDry && { api_key: apiKey }),
    ...{ state, changes, unchanged },
    undeclared: undeclared
      .slice(0, MAX_UNDECLARED)
      .map(({ table, id, key, name }) => ({ kind: ENTITY_KINDS[table].name, key: key ?? null, id, name })),
  });
};
