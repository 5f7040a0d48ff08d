import { entityPaths } from './entity-paths.ts';
import { insightPaths } from './insight-paths.ts';
import { publicPaths } from './public-paths.ts';
import { COMPONENT_SCHEMAS } from './schemas.ts';

export interface OpenApiOptions {
  /** '' : the document's own origin. */
  readonly publicUrl: string;
  readonly allowedEvents: readonly string[];
}

/** The whole HTTP surface as OpenAPI 3.1. Request bodies are described by the schemas that check them. */
export const createOpenApiDocument = ({ publicUrl, allowedEvents }: OpenApiOptions): object => ({
  openapi: '3.1.0',
  info: {
    title: 'Ad server',
    version: '1',
    description: 'Ads, tracking and trafficking. In words: docs/api.md. Money is decimal USD, days are UTC.',
  },
  servers: [{ url: publicUrl === '' ? '/' : publicUrl }],
  tags: ['ads', 'tracking', 'operations', 'publishers', 'placements', 'campaigns', 'line_items', 'creatives', 'delivery'].map((name) => ({
    name,
  })),
  security: [{ adminToken: [] }],
  paths: { ...publicPaths(allowedEvents), ...entityPaths(), ...insightPaths() },
  components: {
    schemas: COMPONENT_SCHEMAS,
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Of the publisher in ext.publisher_id' },
      adminToken: { type: 'http', scheme: 'bearer', description: 'One of ADMIN_TOKEN, when it is set' },
    },
  },
});
