import { Router, type RequestHandler } from 'express';
import type { Knex } from 'knex';
import type { SecretBox } from '../base/secret-box.ts';
import { within } from '../base/within.ts';
import { methodNotAllowed, notFound } from '../http/problems/error-handler.ts';
import type { ToAdRequestOptions } from '../http/openrtb/to-ad-request.ts';
import type { DebugGrants } from '../http/request/debug-grants.ts';
import { createAnswerWriter } from '../http/openrtb/write-answer.ts';
import type { LogFields } from '../observability/log.ts';
import { createJudgeLimits, type DryLedgerOptions } from '../ledger/read/dry-ledger.ts';
import type { ServeAd } from '../serving/serve-ad.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { bulkRoute } from './entities/bulk-route.ts';
import { createCatalogWriter } from './entities/catalog-writer.ts';
import { createEntityReader } from './entities/entity-reader.ts';
import { entityRoutes } from './entities/entity-routes.ts';
import { debugGrantRoute } from './explain/debug-grant-route.ts';
import { createExplain } from './explain/explain.ts';
import { explainRoute } from './explain/explain-route.ts';
import { insightRoutes } from './insight/insight-routes.ts';
import { createOpenApiDocument } from './openapi/openapi-document.ts';
import type { CountersSource } from './insight/read-counters.ts';
import { createReadDelivery } from './insight/read-delivery.ts';
import { sendJson } from '../http/answers/send-json.ts';
import { testAdRoute } from './explain/test-ad-route.ts';
import { answerStoreFaults } from './store-faults.ts';

export interface TraffickingOptions {
  readonly knex: Knex;
  readonly dimensions: DimensionSchema;
  readonly secretBox: SecretBox;
  readonly gate: RequestHandler;
  readonly publicUrl: string;
  readonly allowedEvents: readonly string[];
  readonly currentSnapshot: () => Snapshot | undefined;
  /** Reads the ledger. */
  readonly counters: DryLedgerOptions & CountersSource;
  /** The decision with a ledger that takes nothing and bidders that get no notices. */
  readonly dryServeAd: ServeAd;
  /** How an ad request is parsed. */
  readonly asking: Omit<ToAdRequestOptions, 'dimensions'>;
  readonly debugGrants: DebugGrants;
  /** Makes every replica load the committed catalog; rejects when this one cannot. */
  readonly reloadEverywhere: () => Promise<void>;
  readonly onFailure: (fault: Error, fields: LogFields) => void;
}

/**
 * A write answers when this replica serves the change, or after this long: a large catalog loads
 * for several seconds.
 */
const MAX_RELOAD_WAIT_MS = 1000;

/** The trafficking API: everything under /api. */
export const createTrafficking = (options: TraffickingOptions): RequestHandler => {
  const { knex, dimensions, gate, publicUrl, allowedEvents } = options;
  const { currentSnapshot, counters, dryServeAd, asking, reloadEverywhere, onFailure } = options;
  const goLive = async (): Promise<void> => {
    // The change is committed even if the reload fails: the catalog logs the failure and reloads at
    // its next version check.
    await within(
      MAX_RELOAD_WAIT_MS,
      reloadEverywhere().catch(() => undefined),
      () => undefined,
    );
  };

  const router = Router();
  router.use(gate);
  const writer = createCatalogWriter({ knex, dimensions, secretBox: options.secretBox, goLive });
  router.use(entityRoutes({ reader: createEntityReader({ knex }), writer }));
  router.route('/bulk').post(bulkRoute(writer)).all(methodNotAllowed('POST'));
  const readDelivery = createReadDelivery({ ...counters, knex, currentSnapshot, now: asking.now });
  router.use(insightRoutes({ knex, readDelivery, now: asking.now }));
  const document = createOpenApiDocument({ publicUrl, allowedEvents });
  router
    .route('/openapi.json')
    .get((_req, res) => sendJson(res, 200, document))
    .all(methodNotAllowed('GET, HEAD'));
  router
    .route('/dimensions')
    .get((_req, res) => sendJson(res, 200, describeDimensions(dimensions)))
    .all(methodNotAllowed('GET, HEAD'));
  router
    .route('/explain')
    .post(explainRoute({ ...asking, dimensions, currentSnapshot, explain: createExplain(createJudgeLimits(counters)) }))
    .all(methodNotAllowed('POST'));
  router
    .route('/test_ad')
    .post(
      testAdRoute({
        ...asking,
        dimensions,
        currentSnapshot,
        dryServeAd,
        writeAnswer: createAnswerWriter({ allowedEvents, tracking: undefined }),
      }),
    )
    .all(methodNotAllowed('POST'));
  router
    .route('/debug_grants')
    .post(debugGrantRoute({ knex, currentSnapshot, debugGrants: options.debugGrants, publicUrl }))
    .all(methodNotAllowed('POST'));
  router.use(notFound);
  router.use(answerStoreFaults(onFailure));
  return router;
};

/**
 * GET /api/dimensions: the registered dimensions as a JSON Schema, from which forms can be built.
 */
const describeDimensions = (dimensions: DimensionSchema): object => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from(dimensions.values(), ({ name, type, values, minimum, maximum, description }) => [
      name,
      {
        type,
        ...(description === '' ? {} : { description }),
        ...(values === null ? {} : { enum: values }),
        ...(minimum === null ? {} : { minimum }),
        ...(maximum === null ? {} : { maximum }),
      },
    ]),
  ),
});
