import { hash } from 'node:crypto';
import { groupBy } from '../../base/group-by.ts';
import { commonFlight, type Booking, type Campaign, type Flight, type LineItem } from '../../catalog/model/entities.ts';
import type { Candidate, Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { isUnbounded } from '../../ledger/limits.ts';
import type { SampledRequest } from '../sample/sampled-request.ts';
import { createUnion } from './union.ts';

/** Placements whose requests and bookings have nothing to do with those of others: they are replayed alone. */
export interface ReplayGroup {
  readonly placements: ReadonlySet<string>;
  /** Equal keys: the same bookings, of which a replay of the same traffic makes the same. */
  readonly key: string;
}

export interface ReplayGroupsOptions {
  readonly snapshot: Snapshot;
  readonly publisherId: number;
  /** Of each day that comes again. */
  readonly days: readonly (readonly SampledRequest[])[];
  /** What is replayed. */
  readonly window: Flight;
}

/** Each group is a replay with its own beginning and end. */
const MAX_GROUPS = 16;

/**
 * Two placements are of one group when a page asks for both, or when a booking has something to count on both: a goal, a cap or
 * a budget, its own or that of its campaign. Bookings without any take what is there, whatever they get elsewhere.
 */
export const replayGroups = (options: ReplayGroupsOptions): readonly ReplayGroup[] => {
  const { snapshot, publisherId, window } = options;
  const union = createUnion();
  const requests = joinPages(options.days, union.join);
  const candidates = new Map<string, readonly Candidate[]>();
  for (const placement of requests.keys()) {
    const some = [...candidatesOn(snapshot, publisherId, placement)].filter((one) => isWithin(window, one));
    candidates.set(placement, some);
    for (const candidate of some) for (const account of accountsOf(candidate)) union.join(placement, account);
  }
  const groups = groupBy([...requests.keys()], union.rootOf);
  const siblings = createSiblings(snapshot);
  const keyOf = (placements: readonly string[]): string =>
    digestOf(
      [...placements].sort().map((placement) => [
        JSON.stringify(snapshot.placements.get(placement) ?? placement),
        ...candidates
          .get(placement)!
          .map((candidate) => textOf(candidate, siblings))
          .sort(),
      ]),
    );
  return atMost(MAX_GROUPS, [...groups.values()], (placement) => requests.get(placement)!).map((placements) => ({
    placements: new Set(placements),
    key: digestOf([JSON.stringify(snapshot.publishers.get(publisherId)), keyOf(placements)]),
  }));
};

/** Joins what a page view asks for. Returns how often each placement is asked for. */
const joinPages = (days: ReplayGroupsOptions['days'], join: (one: string, other: string) => void): ReadonlyMap<string, number> => {
  const asked = new Map<string, number>();
  for (const requests of new Set(days)) {
    const pages = new Map<string, string>();
    for (const { placements, visitor, pageView } of requests) {
      const [first] = placements;
      if (first === undefined) continue;
      for (const placement of placements) {
        asked.set(placement, (asked.get(placement) ?? 0) + 1);
        if (placement !== first) join(first, placement);
      }
      if (pageView === 0) continue;
      const page = `${visitor} ${pageView}`;
      const before = pages.get(page);
      if (before === undefined) pages.set(page, first);
      else if (before !== first) join(before, first);
    }
  }
  return asked;
};

function* candidatesOn(snapshot: Snapshot, publisherId: number, placement: string): Iterable<Candidate> {
  const { direct } = snapshot.slot(publisherId, placement);
  for (let position = 0; position < (direct?.size ?? 0); position++) yield direct!.peek(position);
}

const isWithin = ({ startMs, endMs }: Flight, { lineItem, campaign }: Booking): boolean => {
  const flight = commonFlight(lineItem.flight, campaign.flight);
  return flight.startMs < endMs && flight.endMs > startMs;
};

const hasBudget = ({ budgetMicros, dailyBudgetMicros }: Campaign): boolean => budgetMicros !== null || dailyBudgetMicros !== null;

/** Whether a user's counter of it is one of its campaign or advertiser. */
const countsWithOthers = ({ lineItem, campaign }: Booking): boolean =>
  campaign.counted.length > 0 || lineItem.frequencyCaps.some(({ scope }) => scope !== 'line_item');

/** Where it counts something that limits it or others. */
const accountsOf = (candidate: Candidate): readonly string[] => {
  const { lineItem, campaign, turn } = candidate;
  const isCounted = countsWithOthers(candidate);
  if (!isCounted && turn === undefined && isUnbounded(lineItem, campaign)) return [];
  return [
    `line item ${lineItem.id}`,
    ...(isCounted || hasBudget(campaign) ? [`campaign ${campaign.id}`] : []),
    ...(isCounted && campaign.advertiserId !== null ? [`advertiser ${campaign.advertiserId}`] : []),
  ];
};

/** The line items of campaigns with a budget, which share it also where they get nothing. */
const createSiblings = ({ lineItems }: Snapshot): ((campaign: Campaign) => string) => {
  let known: Map<number, string> | undefined;
  const read = (): Map<number, string> => {
    const found = new Map<number, string>();
    for (const lineItem of lineItems.values()) {
      const { campaignId } = lineItem;
      found.set(campaignId, `${found.get(campaignId) ?? ''} ${editionOf(lineItem)}`);
    }
    return found;
  };
  return (campaign) => (hasBudget(campaign) ? ((known ??= read()).get(campaign.id) ?? '') : '');
};

const editionOf = ({ id, edition, stop }: Pick<LineItem, 'id' | 'edition' | 'stop'>): string => `${id}:${edition}:${stop ? 'stopped' : ''}`;

/** All that a replay reads of a booking, but what is learned of it. */
const textOf = ({ creative, lineItem, campaign }: Candidate, siblings: (campaign: Campaign) => string): string =>
  [
    ...[editionOf(creative), editionOf(lineItem), JSON.stringify(lineItem.sales)],
    ...[editionOf(campaign), JSON.stringify(campaign.traits), siblings(campaign)],
  ].join(' ');

const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value));

/** The smallest are put together. */
const atMost = (
  most: number,
  groups: readonly (readonly string[])[],
  weightOf: (placement: string) => number,
): readonly (readonly string[])[] => {
  if (groups.length <= most) return groups;
  const weightOfAll = (placements: readonly string[]): number => placements.reduce((sum, placement) => sum + weightOf(placement), 0);
  const sorted = [...groups].sort((a, b) => weightOfAll(b) - weightOfAll(a));
  return [...sorted.slice(0, most - 1), sorted.slice(most - 1).flat()];
};
