import { ShownTogether } from '../../decision/shown-together.ts';

/** What pages show, which limits what is shown beside it (lua/page.lua). */
export interface ReplayedPages {
  /** Of a page view, whose requests share it; undefined: of one request. */
  of(pageView: string | undefined): ShownTogether;
}

const MAX_PAGES = 20_000;

export const createReplayedPages = (): ReplayedPages => {
  const pages = new Map<string, ShownTogether>();
  return {
    of: (pageView) => {
      if (pageView === undefined) return new ShownTogether();
      let shown = pages.get(pageView);
      if (shown === undefined) {
        if (pages.size >= MAX_PAGES) pages.clear();
        pages.set(pageView, (shown = new ShownTogether()));
      }
      return shown;
    },
  };
};
