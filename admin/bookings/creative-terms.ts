import type { CreativeWire, LineItemWire } from '../api/wire.ts';
import type { Column } from '../parts/table.ts';
import { labelOf } from './forms/entity-fields.ts';
import { dash } from './lists/list-column.ts';

/** What a creative says of itself to the line item that shows it. */
export type CreativeTerm = 'weight' | 'step' | 'companion_set';

/** What creatives say in a line item of this kind. */
export const termsOf = ({ rotation, roadblock }: { readonly rotation: unknown; readonly roadblock: unknown }): readonly CreativeTerm[] => [
  ...(rotation === 'weighted' ? (['weight'] as const) : []),
  ...(rotation === 'sequence' ? (['step'] as const) : []),
  ...(roadblock === true ? (['companion_set'] as const) : []),
];

/** The creatives of a line item as its page lists them: a sequence in its order, and a column for what sets them apart. */
export const listedCreatives = (item: LineItemWire, rows: readonly CreativeWire[]) => {
  const told = termsOf(item).filter((term) => term !== 'weight' || rows.some(({ weight }) => weight !== 1));
  return {
    rows: item.rotation === 'sequence' ? rows.toSorted((a, b) => (a.step ?? Infinity) - (b.step ?? Infinity) || a.id - b.id) : rows,
    more: told.map((term): Column<CreativeWire> => ({ label: labelOf('creatives', term), cell: (row) => row[term] ?? dash })),
  };
};
