import type { Kind } from '../../api/wire.ts';

/** How a person has set the columns of a list, in this browser. */
export interface KeptColumns {
  /** The ids of those that are shown, in their order; undefined: as usual. */
  readonly ids?: readonly string[];
  /** Pixels by id. */
  readonly widths: Readonly<Record<string, number>>;
}

const keyOf = (kind: Kind): string => `columns-${kind}`;

export const readKeptColumns = (kind: Kind): KeptColumns => {
  try {
    const { ids, widths } = JSON.parse(localStorage.getItem(keyOf(kind)) ?? '{}') as Partial<KeptColumns>;
    const isList = Array.isArray(ids) && ids.every((id) => typeof id === 'string');
    const set = Object.entries(widths ?? {}).filter(([, width]) => Number.isFinite(width));
    return { ...(isList && { ids }), widths: Object.fromEntries(set) };
  } catch {
    return { widths: {} };
  }
};

export const keepColumns = (kind: Kind, columns: KeptColumns): void => localStorage.setItem(keyOf(kind), JSON.stringify(columns));
