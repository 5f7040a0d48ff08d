import { Router, type RequestHandler } from 'express';
import type { Knex } from 'knex';
import { within } from '../base/within.ts';
import type { Bidders } from '../bidders/bidder-port.ts';
import type { AdminToken } from '../config/settings.ts';
import { methodNotAllowed, notFound } from '../http/problems/error-handler.ts';
import type { ToAdRequestOptions } from '../http/openrtb/to-ad-request.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { AccountReader } from '../ledger/read/read-accounts.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { createAdminGate } from './admin-gate.ts';
import { createCatalogWriter } from './entities/catalog-writer.ts';
import { createEntityReader } from './entities/entity-reader.ts';
import { entityRoutes } from './entities/entity-routes.ts';
import { createExplain, type ExplainOptions } from './explain/explain.ts';
import { explainRoute } from './explain/explain-route.ts';
import { insightRoutes } from './insight/insight-routes.ts';
import { createOpenApiDocument } from './openapi/openapi-document.ts';
import { createReadDelivery } from './insight/read-delivery.ts';
import { sendJson } from './send-json.ts';
import { createTestAd } from './explain/test-ad.ts';
import { testAdRoute } from './explain/test-ad-route.ts';
import { answerStoreFaults } from './store-faults.ts';

export interface TraffickingOptions {
  readonly knex: Knex;
  readonly dimensions: DimensionSchema;
  readonly adminTokens: readonly AdminToken[];
  readonly publicUrl: string;
  readonly allowedEvents: readonly string[];
  readonly currentSnapshot: () => Snapshot | undefined;
  /** What stands in the ledger now. */
  readonly counters: ExplainOptions & { readonly accounts: AccountReader };
  /** Asked when an ad is tested, and told nothing of what became of it. */
  readonly bidders: Bidders;
  /** How an ad request is read. */
  readonly asking: Omit<ToAdRequestOptions, 'dimensions'>;
  /** Makes every replica load what has been committed; rejects when this one could not. */
  readonly reloadEverywhere: () => Promise<void>;
  readonly onFailure: (fault: Error) => void;
}

/** A write answers when this replica serves it, or after this long: a large catalog takes longer to load than a person should wait. */
const MOST_WAIT_MS = 1000;

/** Everything under /api: the trafficking tool's own interface. */
export const createTrafficking = (options: TraffickingOptions): RequestHandler => {
  const { knex, dimensions, adminTokens, publicUrl, allowedEvents } = options;
  const { currentSnapshot, counters, bidders, asking, reloadEverywhere, onFailure } = options;
  const goLive = async (): Promise<void> => {
    // The change is committed whatever becomes of the reload; a failed one has been logged, and is made good when the version is next looked at.
    await within(
      MOST_WAIT_MS,
      reloadEverywhere().catch(() => undefined),
      () => undefined,
    );
  };

  const router = Router();
  router.use(createAdminGate({ tokens: adminTokens, publicUrl }));
  router.use(entityRoutes({ reader: createEntityReader({ knex }), writer: createCatalogWriter({ knex, dimensions, goLive }) }));
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
    .post(explainRoute({ ...asking, dimensions, currentSnapshot, explain: createExplain(counters) }))
    .all(methodNotAllowed('POST'));
  router
    .route('/test_ad')
    .post(testAdRoute({ ...asking, dimensions, currentSnapshot, testAd: createTestAd({ ...counters, bidders }) }))
    .all(methodNotAllowed('POST'));
  router.use(notFound);
  router.use(answerStoreFaults(onFailure));
  return router;
};

/** GET /api/dimensions: the registered dimensions as a JSON Schema, for building inputs. */
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
