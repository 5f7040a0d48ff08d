import { ShownTogether } from '../../decision/shown-together.ts';

const MAX_PAGES = 20_000;

/**
 * What pages show, which limits what is shown beside it (lua/page.lua): of a page view, whose requests share it; undefined: of one
 * request.
 */
export const createReplayedPages = (): ((pageView: string | undefined) => ShownTogether) => {
  const pages = new Map<string, ShownTogether>();
  return (pageView) => {
    if (pageView === undefined) return new ShownTogether();
    let shown = pages.get(pageView);
    if (shown === undefined) {
      if (pages.size >= MAX_PAGES) pages.clear();
      pages.set(pageView, (shown = new ShownTogether()));
    }
    return shown;
  };
};
