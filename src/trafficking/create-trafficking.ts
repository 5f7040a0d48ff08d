import { setTimeout as sleep } from 'node:timers/promises';
import { Router, type RequestHandler } from 'express';
import type { Knex } from 'knex';
import type { AdminToken } from '../config/settings.ts';
import { methodNotAllowed, notFound } from '../http/error-handler.ts';
import { sendProblem } from '../http/problem.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { createAdminGate } from './admin-gate.ts';
import { readAudit } from './audit-trail.ts';
import { createCatalogWriter } from './catalog-writer.ts';
import { createEntityReader } from './entity-reader.ts';
import { entityRoutes } from './entity-routes.ts';
import { readPage, searchOf } from './list-query.ts';
import { sendJson } from './send-json.ts';
import { answerStoreFaults } from './store-faults.ts';

export interface TraffickingOptions {
  readonly knex: Knex;
  readonly dimensions: DimensionSchema;
  readonly adminTokens: readonly AdminToken[];
  readonly publicUrl: string;
  /** Makes every replica load what has been committed; rejects when this one could not. */
  readonly reloadEverywhere: () => Promise<void>;
  readonly onFailure: (fault: Error) => void;
}

/** A write answers when this replica serves it, or after this long: a large catalog takes longer to load than a person should wait. */
const MOST_WAIT_MS = 1000;

/** Everything under /api: the trafficking tool's own interface. */
export const createTrafficking = (options: TraffickingOptions): RequestHandler => {
  const { knex, dimensions, adminTokens, publicUrl, reloadEverywhere, onFailure } = options;
  const goLive = async (): Promise<void> => {
    // The change is committed whatever becomes of the reload; a failed one has been logged, and is made good when the version is next looked at.
    await Promise.race([reloadEverywhere().catch(() => undefined), sleep(MOST_WAIT_MS, undefined, { ref: false })]);
  };

  const router = Router();
  router.use(createAdminGate({ tokens: adminTokens, publicUrl }));
  router.use(entityRoutes({ reader: createEntityReader({ knex }), writer: createCatalogWriter({ knex, dimensions, goLive }) }));
  router
    .route('/dimensions')
    .get((_req, res) => sendJson(res, 200, describeDimensions(dimensions)))
    .all(methodNotAllowed('GET, HEAD'));
  router.route('/audit').get(auditRoute(knex)).all(methodNotAllowed('GET, HEAD'));
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

const AUDIT_FILTERS = ['entity', 'entity_id', 'actor', 'action'];

/** GET /api/audit: who changed what, newest first. */
const auditRoute =
  (knex: Knex): RequestHandler =>
  async (req, res) => {
    const search = searchOf(req);
    const page = readPage(search, 100, 1000);
    if (!page.ok) return sendProblem(res, page.problem);
    const where = Object.fromEntries(AUDIT_FILTERS.flatMap((name) => (search.get(name) ? [[name, search.get(name) as string]] : [])));
    sendJson(res, 200, await readAudit(knex, { ...page, where }));
  };
