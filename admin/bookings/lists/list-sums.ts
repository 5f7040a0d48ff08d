import type { ListSums } from '../../../src/delivery/sums/list-sums.ts';
import type { Page } from '../../page.ts';
import type { Kind } from '../../api/wire.ts';

export type SummedKind = 'campaigns' | 'line_items';
const isSummed = (kind: Kind): kind is SummedKind => kind === 'campaigns' || kind === 'line_items';

/** What a list and its groups come to. */
export interface SumsOfList {
  /**
   * Reads them when they are not known for this state of the list, and draws the page again; those of the
   * state before until then. undefined: never read, or the kind has none.
   *
   * @param version of what is listed
   */
  of(query: string, version: number): ListSums | undefined;
}

export const createListSums = (page: Page, kind: Kind): SumsOfList => {
  let shown: { readonly query: string; readonly sums: ListSums } | undefined;
  let asked = '';

  const read = async (some: SummedKind, query: string, key: string): Promise<void> => {
    const { sort: _sort, include: _include, ...parameters } = Object.fromEntries(new URLSearchParams(query));
    const answer = await (some === 'campaigns'
      ? page.api.get('/sums/campaigns', parameters)
      : page.api.get('/sums/line_items', parameters));
    if (key !== asked) return;
    if (answer.ok) shown = { query, sums: answer.value };
    else page.complain(answer.problem);
    page.redraw();
  };

  return {
    of: (query, version) => {
      if (!isSummed(kind) || !page.rights.may('GET', `/sums/${kind}`)) return undefined;
      const key = `${version} ${query}`;
      if (key !== asked) {
        asked = key;
        void read(kind, query, key);
      }
      return shown?.query === query ? shown.sums : undefined;
    },
  };
};
