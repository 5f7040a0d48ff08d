import { commentPaths, COMMENT_SCHEMAS } from './comment-paths.ts';
import { assetPaths } from './asset-paths.ts';
import { ASSET_SCHEMAS } from './asset-schemas.ts';
import { entityPaths } from './entity-paths.ts';
import { ENTITY_SCHEMAS } from './entity-schemas.ts';
import { explainPaths } from './explain-paths.ts';
import { EXPLAIN_SCHEMAS } from './explain-schemas.ts';
import { insightPaths } from './insight-paths.ts';
import { INSIGHT_SCHEMAS } from './insight-schemas.ts';
import { alertPaths, ALERT_SCHEMAS } from './alert-paths.ts';
import { exportPaths } from './export-paths.ts';
import { financePaths, FINANCE_SCHEMAS } from './finance-paths.ts';
import { TAGS } from './operation.ts';
import { reportPaths, REPORT_SCHEMAS } from './report-paths.ts';
import { savedViewPaths, SAVED_VIEW_SCHEMAS } from './saved-view-paths.ts';
import { publicPaths } from './public-paths.ts';
import { PUBLIC_SCHEMAS } from './public-schemas.ts';

export interface OpenApiOptions {
  /** '': the origin that serves the document. */
  readonly publicUrl: string;
  readonly allowedEvents: readonly string[];
}

/**
 * The whole HTTP API as OpenAPI 3.1. Request bodies are described by the schemas that check them.
 */
export const createOpenApiDocument = ({ publicUrl, allowedEvents }: OpenApiOptions): object => ({
  openapi: '3.1.0',
  info: {
    title: 'Ad server',
    version: '1',
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    description: 'Ads, tracking and trafficking; see docs/api.md. Money is decimal USD, days are UTC.',
  },
  servers: [{ url: publicUrl === '' ? '/' : publicUrl }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  security: [{ adminToken: [] }],
  paths: {
    ...publicPaths(allowedEvents),
    ...entityPaths(),
    ...assetPaths(),
    ...insightPaths(),
    ...reportPaths(),
    ...financePaths(),
    ...exportPaths(),
    ...alertPaths(),
    ...commentPaths(),
    ...savedViewPaths(),
    ...explainPaths(),
  },
  components: {
    schemas: {
      ...PUBLIC_SCHEMAS,
      ...ENTITY_SCHEMAS,
      ...ASSET_SCHEMAS,
      ...INSIGHT_SCHEMAS,
      ...REPORT_SCHEMAS,
      ...FINANCE_SCHEMAS,
      ...ALERT_SCHEMAS,
      ...COMMENT_SCHEMAS,
      ...SAVED_VIEW_SCHEMAS,
      ...EXPLAIN_SCHEMAS,
    },
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'API key of the publisher in ext.publisher_id' },
      reportLink: { type: 'http', scheme: 'bearer', description: 'The token of a read-only link to a report' },
      adminToken: { type: 'http', scheme: 'bearer', description: 'A token of ADMIN_TOKEN, when ADMIN_TOKEN is set' },
    },
  },
});
