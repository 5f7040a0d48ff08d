import { CATALOG_EXAMPLES } from './catalog-examples.ts';
import { DELIVERY_EXAMPLES } from './delivery-examples.ts';
import { REPORT_EXAMPLES } from './report-examples.ts';
import { SERVING_EXAMPLES } from './serving-examples.ts';
import type { Schema } from '../../api/schema.ts';

/** An example of each component schema that a body refers to, by its name. A test validates them. */
const EXAMPLES: Readonly<Record<string, unknown>> = { ...SERVING_EXAMPLES, ...CATALOG_EXAMPLES, ...DELIVERY_EXAMPLES, ...REPORT_EXAMPLES };

/** The example of a body: that of the component, or a list of one. undefined: it has none. */
export const exampleOf = ({ $ref, items }: Schema): unknown => {
  if (typeof $ref === 'string') return EXAMPLES[$ref.split('/').at(-1) ?? ''];
  return items ? [exampleOf(items as Schema)] : undefined;
};
