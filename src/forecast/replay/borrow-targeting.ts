import type { SampledRequest } from '../sample/sampled-request.ts';

/** What requests of visitors who may not be measured keep of their own (sample-request.ts). */
const OWN = /^(countries|devices)\d/;
/** Not lent: what is of one person alone. */
const PERSONAL = /^audiences\d/;
/** Not lent to a visitor from another country. */
const LOCAL = /^(regions|cities)\d/;

/**
 * Of visitors who may not be measured the sample has counts, and no key-values. They look at the same pages as the others: each
 * of their requests gets what a request of another visitor for the same placement offers, if possible one from the same country
 * with such a device. Otherwise line items that target key-values would be short of these impressions.
 *
 * @param requests of a publisher, in the order of time
 */
export const borrowTargeting = (requests: readonly SampledRequest[]): readonly SampledRequest[] => {
  const lenders = new Map<string, SampledRequest[]>();
  const lend = (key: string, request: SampledRequest): void => {
    const some = lenders.get(key);
    if (some) some.push(request);
    else lenders.set(key, [request]);
  };
  for (const request of requests) {
    if (request.visitor === '') continue;
    lend(placementOf(request), request);
    lend(likeOf(request), request);
  }
  const turns = new Map<string, number>();
  return requests.map((request) => {
    if (request.visitor !== '') return request;
    const near = likeOf(request);
    const key = lenders.has(near) ? near : placementOf(request);
    const some = lenders.get(key);
    if (!some) return request;
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    const lender = some[Math.floor(((turn * GOLDEN) % 1) * some.length)]!;
    const lent = lender.pairs.filter((pair) => !OWN.test(pair) && !PERSONAL.test(pair) && (key === near || !LOCAL.test(pair)));
    return { ...request, pairs: [...request.pairs, ...lent], visitorOffset: lender.visitorOffset };
  });
};

/** Turns are spread over the day, whatever the number of lenders. */
const GOLDEN = 0.618_033_988_75;

const placementOf = ({ placements }: SampledRequest): string => placements[0] ?? '';

const likeOf = (request: SampledRequest): string => [placementOf(request), ...request.pairs.filter((pair) => OWN.test(pair))].join(' ');
