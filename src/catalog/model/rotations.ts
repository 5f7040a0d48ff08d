/**
 * How the creatives of a line item share its impressions. `optimised`: by the chance of each to have
 * the highest click-through rate.
 */
export const ROTATIONS = ['even', 'weighted', 'optimised'] as const;
export type Rotation = (typeof ROTATIONS)[number];
