import type { ListSums } from '../../../src/delivery/sums/list-sums.ts';
import type { Page } from '../../page.ts';
import type { Kind } from '../../api/wire.ts';

export type SummedKind = 'campaigns' | 'line_items';
const isSummed = (kind: Kind): kind is SummedKind => kind === 'campaigns' || kind === 'line_items';

/** @returns the query without what changes no sum, so that a list that is sorted anew keeps its last line. */
const filtersIn = (query: string): string => {
  const filters = new URLSearchParams(query);
  filters.delete('sort');
  filters.delete('include');
  return filters.toString();
};

/** What a list and its groups come to. */
export const createListSums = (page: Page, kind: Kind) => {
  let shown: { readonly filters: string; readonly sums: ListSums } | undefined;
  let asked = '';

  const read = async (some: SummedKind, filters: string, key: string): Promise<void> => {
    const parameters = Object.fromEntries(new URLSearchParams(filters));
    const answer = await (some === 'campaigns'
      ? page.api.get('/sums/campaigns', parameters)
      : page.api.get('/sums/line_items', parameters));
    if (key !== asked) return;
    if (answer.ok) shown = { filters, sums: answer.value };
    else page.complain(answer.problem);
    page.redraw();
  };

  return {
    /**
     * Reads them when they are not known for what the list is filtered by, and draws the page again.
     * undefined: not read yet, or the kind has none. A list that has changed keeps its sums until the new ones are there.
     *
     * @param version of what is listed
     */
    of: (query: string, version: number): ListSums | undefined => {
      if (!isSummed(kind) || !page.rights.may('GET', `/sums/${kind}`)) return undefined;
      const filters = filtersIn(query);
      const key = `${version} ${filters}`;
      if (key !== asked) {
        asked = key;
        void read(kind, filters, key);
      }
      return shown?.filters === filters ? shown.sums : undefined;
    },
  };
};
