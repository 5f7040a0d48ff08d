import { answer, type Handlers } from '../api/route.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import type { DIMENSION_API } from './dimension-api.ts';

/** The registered dimensions, which do not change while a replica runs. */
export const dimensionRoutes = ({ dimensions }: { readonly dimensions: DimensionSchema }): Handlers<typeof DIMENSION_API> => {
  const described = describeDimensions(dimensions);
  return { getDimensions: () => answer(described) };
};

/** The dimensions as a JSON Schema, from which forms can be built. */
const describeDimensions = (dimensions: DimensionSchema) => ({
  type: 'object' as const,
  properties: Object.fromEntries(
    Array.from(dimensions.values(), ({ name, label, type, values, minimum, maximum, description }) => [
      name,
      {
        type,
        title: label,
        ...(description === '' ? {} : { description }),
        ...(values === null ? {} : { enum: values }),
        ...(minimum === null ? {} : { minimum }),
        ...(maximum === null ? {} : { maximum }),
      },
    ]),
  ),
});
