import { groupBy } from '../base/group-by.ts';
import { commonFlight, type Campaign, type LineItem } from '../catalog/model/entities.ts';
import { flightShare } from '../catalog/snapshot/flight-share.ts';
import type { TrafficBefore } from '../catalog/snapshot/hours-traffic.ts';
import { dayTraffic, type TrafficCurve } from '../catalog/snapshot/traffic-curve.ts';
import { opportunityFactor } from '../decision/opportunity-cost.ts';
import type { Account, AccountReader } from '../ledger/read/read-accounts.ts';

/** The parts of a snapshot that say what is due. */
export interface PacedCatalog {
  readonly lineItems: { get(id: number): LineItem | undefined };
  readonly campaigns: { get(id: number): Campaign | undefined };
  curveAt(publisherId: number, atMs: number): TrafficCurve;
  hoursOf(lineItem: LineItem, atMs: number): TrafficBefore | undefined;
}

export interface OpportunityCostsOptions {
  readonly accounts: Pick<AccountReader, 'lineItems'>;
  readonly currentSnapshot: () => PacedCatalog | undefined;
  /** The clock of a publisher, epoch ms. */
  readonly now: (publisherId: number) => number;
}

const REFRESH_MS = 1_000;
/** A line item that no bid has met for so many refreshes is not read any more. */
const KEPT_REFRESHES = 60;
/** More are not read: their places stay theirs. */
const MAX_READ = 2_000;

interface Known {
  factor: number;
  readonly publisherId: number;
  /** Refreshes since it was asked about. */
  idle: number;
}

/**
 * What bids have to pay to be shown in place of line items that yield.
 * Keeps the pace of line items that bids meet, as the counters in Redis had it a second ago: a decision
 * looks one number up. While Redis is away no line item yields.
 */
export const createOpportunityCosts = ({ accounts, currentSnapshot, now }: OpportunityCostsOptions) => {
  const known = new Map<number, Known>();
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;

  const read = async (snapshot: PacedCatalog, publisherId: number, ids: readonly number[]): Promise<void> => {
    const atMs = now(publisherId);
    // Redis may fail meanwhile; its client logs that.
    const read = await accounts.lineItems(publisherId, ids).catch(() => undefined);
    const { day, byHour: curve } = dayTraffic((ms) => snapshot.curveAt(publisherId, ms), atMs);
    ids.forEach((id, i) => {
      const lineItem = snapshot.lineItems.get(id);
      const campaign = lineItem && snapshot.campaigns.get(lineItem.campaignId);
      const one = known.get(id);
      if (one === undefined) return;
      const hours = lineItem && snapshot.hoursOf(lineItem, atMs);
      const moment = campaign && { flight: commonFlight(lineItem.flight, campaign.flight), curve, day, hours, atMs };
      one.factor = moment && read ? factorOf(lineItem, read[i], flightShare(moment, atMs)) : Infinity;
    });
  };

  /** Reads the counters of those that were asked about. Never rejects. */
  const refresh = async (): Promise<void> => {
    const snapshot = currentSnapshot();
    if (!snapshot || isReading) return;
    isReading = true;
    for (const [id, one] of known) if (++one.idle > KEPT_REFRESHES) known.delete(id);
    const byPublisher = groupBy([...known], ([, { publisherId }]) => publisherId);
    await Promise.all(
      Array.from(byPublisher, ([publisherId, of]) =>
        read(
          snapshot,
          publisherId,
          of.map(([id]) => id),
        ),
      ),
    );
    isReading = false;
  };

  return {
    /** As a multiple of the price of the line item; Infinity: it is not ahead of its goal, or that is not known yet. */
    factorOf: ({ id, publisherId }: LineItem): number => {
      const one = known.get(id);
      if (one === undefined) {
        if (known.size < MAX_READ) known.set(id, { factor: Infinity, publisherId, idle: 0 });
        return Infinity;
      }
      one.idle = 0;
      return one.factor;
    },
    refresh,
    start: (): void => {
      timer ??= setInterval(() => void refresh(), REFRESH_MS).unref();
    },
    stop: (): void => clearInterval(timer),
  };
};

/** Of the goal that is least ahead: it may have one of impressions and one of clicks. */
const factorOf = ({ goals, sales }: LineItem, account: Account | undefined, share: number): number => {
  if (!sales.yields || account === undefined) return Infinity;
  const ahead = (goal: number | null, delivered: number): number => (goal === null ? 0 : opportunityFactor({ goal, delivered, share }));
  return Math.max(ahead(goals.impressions, account.totalImpressions), ahead(goals.clicks, account.totalClicks));
};
