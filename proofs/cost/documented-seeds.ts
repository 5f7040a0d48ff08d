import { createOpenApiDocument, type Operation } from '../../src/api/openapi-document.ts';
import { allRoutes } from '../../src/trafficking/trafficking-api.ts';
import { shapeOfExample } from './described-shape.ts';
import { createGene, type Gene, type Role } from './gene.ts';
import { plain } from './message.ts';
import type { Target } from './open-target.ts';
import { writeShape, type Shape } from './shape.ts';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;
/** Of operations that accept more than others. */
const MAX_BODY_LENGTHS: Readonly<Record<string, number>> = { '/api/bulk': 1_040_000, '/api/assets': 2_000_000 };
/** A record that does not exist: what is searched must stay. */
const NO_RECORD = 2_000_000_000;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: { readonly type?: string; readonly enum?: readonly string[]; readonly format?: string; readonly default?: number };
}

/**
 * The operations of the OpenAPI document that `written` does not have, with the document's examples
 * as bodies and values for all query parameters.
 */
export const documentedGenes = (target: Target, known: Readonly<Record<string, Shape>>, written: readonly Gene[]): readonly Gene[] => {
  const { paths } = createOpenApiDocument(allRoutes(['like']), '');
  const has = (method: string, path: string): boolean => {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
    return written.some((gene) => gene.method === method && pattern.test(gene.path));
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (!operation || has(method.toUpperCase(), path)) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])] as readonly Parameter[];
      const role = roleOf(operation);
      const query = parameters
        .filter((one) => one.in === 'query')
        .map(({ name, schema }) => [name, plain(valueOf(name, schema, known))] as const);
      const id = method === 'delete' ? NO_RECORD : (target.spares[path.split('/')[2] ?? ''] ?? 1);
      const gene = createGene(method.toUpperCase(), path.replace(/\{\w+\}/g, String(id)), {
        ...{ role, query, body: bodyOf(operation, known) },
        ...(path in MAX_BODY_LENGTHS && { maxBodyLength: MAX_BODY_LENGTHS[path] }),
        headers: role === 'staff' ? [['Authorization', plain(`Bearer ${target.adminToken}`)]] : [],
      });
      return [{ ...gene, endpoint: `${method.toUpperCase()} ${path}` }];
    }),
  );
};

const roleOf = ({ security, tags }: Operation): Role =>
  security === undefined ? 'staff' : tags[0] === 'operations' ? 'operator' : 'stranger';

const valueOf = (
  name: string,
  { type, enum: values, format, default: usual }: Parameter['schema'],
  known: Readonly<Record<string, Shape>>,
): string => {
  const given = known[name];
  if (given) return String(JSON.parse(writeShape(given, 0, 1_000)));
  return String(values?.[0] ?? usual ?? (format === 'date' ? '2026-11-01' : type === 'integer' ? 1 : 'a'));
};

const bodyOf = ({ requestBody }: Operation, known: Readonly<Record<string, Shape>>): Shape | undefined => {
  const { content = {} } = (requestBody ?? {}) as { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> };
  const [media] = Object.values(content);
  return media && shapeOfExample(media.example ?? {}, known);
};
