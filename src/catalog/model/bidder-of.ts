import type { Bidder, LineItem } from './entities.ts';

/** For which the values of a bidder's headers are sealed (base/secret-box.ts). */
export const HEADER_PURPOSE = 'headers';

/** What the short form of a programmatic line item leaves open. */
const PLAIN: Omit<Bidder, 'endpoint' | 'gvlId' | 'noticeHosts'> = {
  id: 0,
  headers: {},
  params: {},
  gzip: false,
  seats: [],
  currency: null,
  bidAdjustment: 1,
  timeoutShare: 1,
  schain: null,
  blocked: { bcat: [], acat: [], cattax: 1, badv: new Set(), battr: [] },
  archived: false,
};

/** The bidder of a line item: the record that it names, or its own endpoint. undefined: a direct one. */
export const bidderOf = (
  { bidderId, endpoint, gvlId, noticeHosts }: LineItem,
  bidders: ReadonlyMap<number, Bidder>,
): Bidder | undefined => {
  if (bidderId !== null) return bidders.get(bidderId);
  return endpoint === null ? undefined : { ...PLAIN, endpoint, gvlId, noticeHosts };
};

/** Differs for bidders that are called apart. */
export const bidderKey = ({ id, endpoint, gvlId }: Pick<LineItem, 'endpoint' | 'gvlId'> & Pick<Bidder, 'id'>): string =>
  id === 0 ? `${gvlId} ${endpoint}` : String(id);
