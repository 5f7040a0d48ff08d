import { component } from '../api/component.ts';
import { at, defineRoutes, ok } from '../api/route.ts';
import { objectAs } from '../base/schema.ts';
import type { DimensionType, DimensionValue } from '../targeting/dimension-schema.ts';

/** A registered dimension as a JSON Schema. */
export interface DimensionProperty {
  readonly type: DimensionType;
  readonly enum?: readonly DimensionValue[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** What people read. */
  readonly title: string;
  readonly description?: string;
}

interface DimensionsAnswer {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, DimensionProperty>>;
}

const DIMENSIONS = component(
  'Dimensions',
  objectAs<DimensionsAnswer>({ description: 'A JSON Schema with a property for each registered dimension' }),
  {
    type: 'object',
    properties: { section: { type: 'string', title: 'Section', enum: ['news', 'sport'] } },
  },
);

/** What the installation can target beside the visitor. */
export const DIMENSION_API = defineRoutes({
  getDimensions: {
    ...at('GET', '/api/dimensions', 'delivery'),
    needs: 'sign_in',
    reach: 'any',
    summary: 'The registered dimensions',
    answer: ok('A JSON Schema', DIMENSIONS),
  },
});
