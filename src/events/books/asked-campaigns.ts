import type { BooksServer } from '../../ledger/books/books-server.ts';

/** Campaigns by their publisher. */
export type Asked = ReadonlyMap<number, readonly number[]>;

/** Another replica rebuilds in this time, or has died. */
const CLAIM_MS = 300;

/**
 * Campaigns of one scope whose accounts requests have asked for. Publishers are taken in an order by chance, and what another replica has
 * rebuilt or is rebuilding is left out: replicas share the work.
 */
export const createAskedCampaigns = (server: Pick<BooksServer, 'missingOf' | 'claim'>) => {
  const asked = new Map<number, Set<number>>();
  /** Asked for again, one of their line items is missing. */
  let leftOut = { epoch: '', campaigns: new Set<number>() };

  const missing = async (publisherId: number, campaigns: readonly number[], epoch: string): Promise<readonly number[]> => {
    if (leftOut.epoch !== epoch) leftOut = { epoch, campaigns: new Set() };
    const { campaigns: before } = leftOut;
    const left = await server.missingOf(publisherId, campaigns, epoch, before);
    for (const id of campaigns) if (!left.includes(id)) before.add(id);
    return left.length === 0 ? left : server.claim(publisherId, left, epoch, CLAIM_MS);
  };

  return {
    isEmpty: (): boolean => asked.size === 0,
    add: (publisherId: number, campaigns: readonly number[]): void => {
      const known = asked.get(publisherId) ?? new Set();
      for (const id of campaigns) known.add(id);
      asked.set(publisherId, known);
    },
    /** Takes about `count`, by their publisher: they are forgotten until a request asks again. */
    take: (wanted: number): Asked => {
      const taken = new Map<number, readonly number[]>();
      const left = [...asked];
      for (let count = 0; left.length > 0 && count < wanted;) {
        const [[publisherId, campaigns]] = left.splice(Math.floor(Math.random() * left.length), 1) as [[number, Set<number>]];
        asked.delete(publisherId);
        taken.set(publisherId, [...campaigns]);
        count += campaigns.size;
      }
      return taken;
    },
    /** Those that are not rebuilt in this epoch, and that no other replica is rebuilding. Rejects when Redis is unavailable. */
    missingOf: async (taken: Asked, epoch: string): Promise<Asked> => {
      const wanted = [...taken].map(
        async ([publisherId, campaigns]) => [publisherId, await missing(publisherId, campaigns, epoch)] as const,
      );
      return new Map((await Promise.all(wanted)).filter(([, campaigns]) => campaigns.length > 0));
    },
  };
};
