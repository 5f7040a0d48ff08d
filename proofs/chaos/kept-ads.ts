import { groupBy } from '../../src/base/group-by.ts';
import { holdsPrice } from '../../src/ledger/limits.ts';
import { placementId } from './book-world.ts';
import type { Ad, Model, Violation } from './model.ts';
import type { SelectAnswer, Selected } from './replica.ts';
import type { AdCall } from './story.ts';

type Answered = SelectAnswer & { readonly call: AdCall };

/** An answer with its ads apart that an earlier request of the page view has reserved, or may have. */
export interface SortedAnswer extends Answered {
  readonly kept: ReadonlySet<Selected>;
}

interface Circumstances {
  readonly step: number;
  readonly redisMs: number;
  readonly ttlMs: number;
  /** Redis was there and answered. */
  readonly isSure: boolean;
  /** Of the rows that the replica has. */
  readonly edition: number;
}

/** The ads of roadblocks that are reserved for later requests of their page views. */
export interface KeptAds {
  /**
   * Notes what answers took of what is kept for their pages, and what they have kept for others. What is kept is in the
   * model, as an ad that no page has.
   */
  sort(
    answers: readonly Answered[],
    at: Circumstances,
  ): {
    readonly answers: readonly SortedAnswer[];
    /** Reserved for requests after these. */
    readonly reserved: readonly Ad[];
    /** Publishers that may hold more, or less, for pages than the model knows. */
    readonly doubtful: readonly number[];
    readonly found: readonly Violation[];
  };
  /** What these calls took or kept is not known. */
  lose(calls: readonly AdCall[]): void;
  /** Redis has lost what it knew. */
  forget(): void;
}

interface Kept {
  readonly ad: Ad;
  readonly step: number;
  readonly atMs: number;
  /** Of the rows by which it was kept: a replica with others may not be able to show it. */
  readonly edition: number;
}

/** The clock of a publisher may be so much off, after steps back of Redis's. */
const MAX_OFF_MS = 2_000;
/** A page is known for so long after its last ad. */
const PAGE_MS = 600_000;
const NONE: ReadonlySet<Selected> = new Set();

export const createKeptAds = (model: Model): KeptAds => {
  /** By page view and placement. */
  const pages = new Map<string, Map<string, Kept>>();
  const unsure = new Set<string>();
  /** When each page view was asked for last. */
  const lastOf = new Map<string, number>();
  const pageOf = (call: AdCall): Map<string, Kept> => {
    const key = keyOf(call);
    let page = pages.get(key);
    if (!page) pages.set(key, (page = new Map<string, Kept>()));
    return page;
  };

  /** The ads of an answer that were kept, with what they were kept as, which the model has no more. */
  const take = ({ call, ads }: Answered, redisMs: number, dropped: Set<Ad>): ReadonlyMap<Selected, Kept> => {
    const page = pageOf(call);
    const lastMs = lastOf.get(keyOf(call)) ?? redisMs;
    lastOf.set(keyOf(call), redisMs);
    return new Map(
      ads.flatMap((one) => {
        const kept = page.get(one.ad.placementId);
        if (kept?.ad.ad.lineItemId !== one.ad.lineItemId) return [];
        page.delete(one.ad.placementId);
        // The page is forgotten, and what was kept for it is held until its end: this is another one.
        if (redisMs > Math.min(endOf(kept), lastMs + PAGE_MS) + MAX_OFF_MS) return [];
        model.drop(kept.ad);
        dropped.add(kept.ad);
        if (redisMs < Math.min(endOf(kept), kept.atMs + PAGE_MS) - MAX_OFF_MS) return [[one, kept] as const];
        unsure.add(keyOf(call));
        return [];
      }),
    );
  };

  const keep = (call: AdCall, fresh: readonly Selected[], { step, redisMs, ttlMs, edition }: Circumstances): readonly Ad[] =>
    fresh.flatMap((one) => {
      const page = pageOf(call);
      const isHere = (id: string): boolean => fresh.some(({ ad }) => ad.placementId === id && ad.lineItemId === one.ad.lineItemId);
      return (
        one.together
          // What was kept before was forgotten with its page, or there would be no new roadblock.
          .filter((id) => !isHere(id) && page.get(id)?.step !== step)
          .flatMap((placementId) => {
            const ad = { ...one.ad, placementId, tokenId: `kept for page ${keyOf(call)} on ${placementId}` };
            const reserved = model.select([{ ...one, ad }], { step, redisMs, ttlMs, isKept: true });
            for (const kept of reserved) page.set(placementId, { ad: kept, step, atMs: redisMs, edition });
            return reserved;
          })
      );
    });

  /** A placement that was asked for, and did not get what was kept for it. */
  const missed = (call: AdCall, { redisMs, edition, isSure }: Circumstances): readonly Violation[] => {
    const kept = pageOf(call).get(placementId(call.publisher, call.first));
    if (!kept || !isSure || kept.edition !== edition || unsure.has(keyOf(call))) return [];
    const { ad } = kept.ad;
    if (redisMs + MAX_OFF_MS >= Math.min(endOf(kept), kept.atMs + PAGE_MS)) return [];
    const text = `page ${keyOf(call)} did not get line item ${ad.lineItemId} on ${ad.placementId}, which was kept for it`;
    return [{ rule: 'roadblock', text }];
  };

  return {
    sort: (answers, at) => {
      const found: Violation[] = [];
      const reserved: Ad[] = [];
      const dropped = new Set<Ad>();
      const doubtful = new Set<number>();
      for (const key of sharedPages(answers)) unsure.add(key);
      const sorted = answers.map((answer): SortedAnswer => {
        const { call, ads } = answer;
        if (!call.namesPage) return { ...answer, kept: NONE };
        const taken = take(answer, at.redisMs, dropped);
        const fresh = ads.filter((one) => !taken.has(one));
        for (const [one, { ad }] of taken)
          if ((one.companionSet ?? ad.companionSet) !== (ad.companionSet ?? one.companionSet))
            found.push({ rule: 'companions', text: `page ${keyOf(call)} got the sets ${one.companionSet} and ${ad.companionSet}` });
        const maybeKept = unsure.has(keyOf(call)) ? fresh.filter(({ together }) => together.length > 1) : [];
        if (maybeKept.length > 0) doubtful.add(call.publisher);
        else if (!unsure.has(keyOf(call))) reserved.push(...keep(call, fresh, at));
        const asKept = new Map<Selected, Selected>();
        for (const [one, { ad }] of taken) {
          const hasPlaceOfOther = ad.ad.userHash !== one.ad.userHash;
          asKept.set(one, { ...one, keptMicros: ad.price, hasPlaceOfOther });
        }
        for (const one of maybeKept)
          asKept.set(one, { ...one, keptMicros: holdsPrice(one.ad.billsOn) ? one.ad.priceMicros : undefined, hasPlaceOfOther: true });
        return { ...answer, ads: ads.map((one) => asKept.get(one) ?? one), kept: new Set(asKept.values()) };
      });
      for (const { call } of answers) if (call.namesPage) found.push(...missed(call, at));
      return { answers: sorted, reserved: reserved.filter((ad) => !dropped.has(ad)), doubtful: [...doubtful], found };
    },
    lose: (calls) => {
      for (const call of calls) if (call.namesPage) unsure.add(keyOf(call));
    },
    forget: () => {
      for (const key of pages.keys()) unsure.add(key);
    },
  };
};

/** Pages that are asked for together by several users: whose places the ads of a roadblock take depends on who was first. */
const sharedPages = (answers: readonly Answered[]): readonly string[] => {
  const ofPages = groupBy(
    answers.filter(({ call, ads }) => call.namesPage && ads.length > 0),
    ({ call }) => keyOf(call),
  );
  return [...ofPages].flatMap(([key, of]) => (new Set(of.map(({ ads }) => ads[0]!.ad.userHash)).size > 1 ? [key] : []));
};

const keyOf = ({ publisher, view }: AdCall): string => `${view} of publisher ${publisher}`;

/** Until when it is held; what holds nothing is there until its token ends. */
const endOf = ({ ad: { ad, reserved } }: Kept): number => (reserved ? ad.holdEndMs : ad.tokenExpS * 1000);
