import type { Knex } from 'knex';
import { answer, refuse, type AnswerOf, type Handlers } from '../../api/route.ts';
import type { Caller } from '../../access/caller.ts';
import { maySee } from '../../access/scope.ts';
import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import { anything, closedRecord, integer, optional } from '../../base/schema.ts';
import { madeLater } from '../../base/made-later.ts';
import { schemaCompiler } from '../../base/schema-compiler.ts';
import { schemaFaults } from '../../base/schema-faults.ts';
import { visibleIds } from '../../bookings/record-scope.ts';
import { recordChange } from '../../bookings/audit-trail.ts';
import { FORMAT_DETAILS, FORMAT_TESTS } from '../../catalog/checks/formats.ts';
import type { Publisher } from '../../catalog/model/entities.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { WireAdRequest } from '../../http/openrtb/ad-request-schema.ts';
import { keyValueFaults, parseAdRequest } from '../../http/openrtb/parse-ad-request.ts';
import { toAdRequest, type ToAdRequestOptions } from '../../http/openrtb/to-ad-request.ts';
import type { WriteAnswer } from '../../http/openrtb/write-answer.ts';
import type { DebugGrants } from '../../http/request/debug-grants.ts';
import type { AdRequest } from '../../serving/ad-request.ts';
import type { ServeAd } from '../../serving/serve-ad.ts';
import type { createExplain } from './explain.ts';
import type { EXPLAIN_API } from './explain-api.ts';
import { inContext, TEST_CONTEXT, type TestContext } from './test-context.ts';

export interface ExplainRoutesOptions extends ToAdRequestOptions {
  readonly knex: Knex;
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly explain: ReturnType<typeof createExplain>;
  /** The decision with a dry ledger and with bidders that receive no notices. */
  readonly dryServeAd: ServeAd;
  /** Without tracking. */
  readonly writeAnswer: WriteAnswer;
  readonly debugGrants: DebugGrants;
  /** '': the URL of a debug grant is relative. */
  readonly publicUrl: string;
}

const ajv = schemaCompiler({ allErrors: true, strictTypes: false, formats: FORMAT_TESTS });
/** What a question has around its ad request, and a test ad in it. */
const questions = madeLater(() =>
  ajv.compile<{ readonly line_item_id: number }>(closedRecord({ request: optional(anything), line_item_id: integer })),
);
const contexts = madeLater(() => ajv.compile<{ readonly context?: TestContext }>({ properties: { context: TEST_CONTEXT } }));

const NOT_LOADED = refuse('unavailable', 'The campaign data has not been loaded yet.');

/**
 * Decisions without side effects. Their requests are bodies of POST /ad: the publisher is
 * `ext.publisher_id`, without a key.
 */
export const explainRoutes = (options: ExplainRoutesOptions): Handlers<typeof EXPLAIN_API> => {
  const { knex, currentSnapshot, requestContext } = options;

  /** A publisher that is loaded, and that the caller may know of. */
  const publisherOf = (snapshot: Snapshot, { publishers }: Caller, id: number): Publisher | undefined =>
    maySee(publishers, id) ? snapshot.publishers.get(id) : undefined;

  /** The ad request of a body with its publisher, or every fault. */
  const readRequest = (snapshot: Snapshot, caller: Caller, value: unknown): ReadRequest => {
    const parsed = parseAdRequest(value, 'all');
    if (!parsed.ok) return parsed;
    const { request: wire } = parsed;
    const publisher = publisherOf(snapshot, caller, wire.ext.publisher_id);
    const faults = [...(publisher ? [] : [notLoaded('/ext/publisher_id')]), ...keyValueFaults(options.dimensions, wire)];
    return publisher && faults.length === 0 ? { ok: true, wire, publisher, faults: [] } : { ok: false, faults };
  };

  return {
    explainLineItem: async ({ body }, { request: req, caller }) => {
      const snapshot = currentSnapshot();
      if (!snapshot) return NOT_LOADED;
      const asked = readRequest(snapshot, caller, isObject(body) ? body['request'] : undefined);
      const isQuestion = questions();
      if (!isQuestion(body) || !asked.ok) {
        const inRequest = asked.faults.map(({ pointer, detail }) => ({ pointer: `/request${pointer}`, detail }));
        return refuse('invalid_request', 'The question has faults.', [...schemaFaults(isQuestion.errors), ...inRequest]);
      }
      const { line_item_id: id } = body;
      const [known] = await visibleIds(knex, 'line_items', caller, [id]);
      if (known === undefined) return refuse('not_found', `Line item ${id} is not loaded.`);
      const explanation = await options.explain(snapshot, toAdRequest(options, snapshot, asked.publisher, asked.wire, req), id);
      if (explanation) return answer(explanation);
      const row = snapshot.quarantined.find((each) => each.table === 'line_items' && each.id === String(id));
      return refuse('not_found', row ? `Line item ${id} is set aside: ${row.reason}.` : `Line item ${id} is not loaded.`);
    },
    testAd: async ({ body }, { request: req, caller }) => {
      const snapshot = currentSnapshot();
      if (!snapshot) return NOT_LOADED;
      const asked = readRequest(snapshot, caller, body);
      const hasContext = contexts();
      if (!hasContext(body) || !asked.ok) {
        const ofContext = schemaFaults(hasContext.errors, FORMAT_DETAILS);
        return refuse('invalid_request', 'The request has faults.', [...asked.faults, ...ofContext]);
      }
      const reading = { ...options, requestContext: inContext(requestContext, body.context ?? {}) };
      const request = inTestMode(toAdRequest(reading, snapshot, asked.publisher, asked.wire, req));
      const written = options.writeAnswer(asked.wire.id, await options.dryServeAd(snapshot, request));
      return answer(JSON.parse(written) as AnswerOf<(typeof EXPLAIN_API)['testAd']>);
    },
    createDebugGrant: async ({ body }, { actor, caller }) => {
      const snapshot = currentSnapshot();
      if (!snapshot) return NOT_LOADED;
      const publisher = publisherOf(snapshot, caller, body.publisher_id);
      if (!publisher) return refuse('invalid_request', 'The debug grant names no publisher.', [notLoaded('/publisher_id')]);
      const { token, expiresAtMs } = options.debugGrants.issue(publisher.id);
      const expires = new Date(expiresAtMs).toISOString();
      const change = { actor, action: 'grant_debug', entity: 'publisher', entityId: publisher.id } as const;
      await knex.transaction((trx) => recordChange(trx, { ...change, before: null, after: { name: publisher.name, expires } }));
      return answer({ token, url: `${options.publicUrl}/ad?debug=1&debug_grant=${token}`, expires });
    },
  };
};

type ReadRequest =
  | { readonly ok: true; readonly wire: WireAdRequest; readonly publisher: Publisher; readonly faults: readonly [] }
  | { readonly ok: false; readonly faults: readonly Fault[] };

const notLoaded = (pointer: string): Fault => ({ pointer, detail: 'must be the id of a loaded publisher' });

/** Bidders see that nothing will be billed. */
const inTestMode = (request: AdRequest): AdRequest => ({ ...request, traced: true, bidContext: { ...request.bidContext, test: true } });
