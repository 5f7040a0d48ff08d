import type { Booking, Campaign, Flight, LineItem } from '../catalog/model/entities.ts';
import { matchTargeting } from '../targeting/match-targeting.ts';
import type { AdQuery, ImpQuery } from './ad-query.ts';
import { NoBidReason } from './no-bid-reason.ts';

/** One reason to refuse a candidate before its limits are checked. Pure. */
export interface Rule {
  readonly reason: NoBidReason;
  readonly refuses: (booking: Booking, query: AdQuery, imp: ImpQuery) => boolean;
  /**
   * The reason with this candidate's figures. Called only for a candidate that the rule refuses.
   */
  readonly words: (booking: Booking, query: AdQuery, imp: ImpQuery) => string;
}

/**
 * The rules that need no counter, in the order of the decision. Ranking, trace and explain all read
 * this table; the ranking leaves targeting to the index (targeting/targeting-index.ts), which
 * evaluates that rule for all candidates together.
 */
export const RULES: readonly Rule[] = [
  {
    reason: NoBidReason.SizeOrFormat,
    refuses: (booking, _query, imp) => !allowsFormat(booking, imp) || !fits(booking, imp),
    words: (booking, _query, imp) => {
      const { content, width, height } = booking.creative;
      return allowsFormat(booking, imp)
        ? `${width ?? 'any'}×${height ?? 'any'} does not fit ${imp.size.width}×${imp.size.height}`
        : `the placement does not allow ${content.format}`;
    },
  },
  {
    reason: NoBidReason.NotInFlight,
    refuses: ({ creative, lineItem, campaign }, { atMs }) => creative.blocked || !isLive(lineItem, campaign, atMs),
    words: ({ creative, lineItem, campaign }, { atMs }) => {
      if (creative.blocked) return 'the creative is blocked';
      if (!lineItem.active) return 'the line item is paused';
      if (atMs < Math.max(lineItem.flight.startMs, campaign.flight.startMs)) return 'the flight has not started';
      return 'the flight has ended';
    },
  },
  {
    reason: NoBidReason.Targeting,
    refuses: ({ lineItem }, { targeting }) => matchTargeting(lineItem.targeting, targeting) !== undefined,
    words: ({ lineItem }, { targeting }) => {
      const refusal = matchTargeting(lineItem.targeting, targeting);
      return refusal ? `${refusal.rule}: ${refusal.detail}` : '';
    },
  },
  {
    reason: NoBidReason.Consent,
    refuses: ({ lineItem }, { mayRemember }) => lineItem.frequencyCap !== null && !mayRemember,
    words: () => 'a frequency cap needs consent to remember the user',
  },
];

/** What the ranking checks candidate by candidate: all but targeting. */
export const RULES_AFTER_INDEX: readonly Rule[] = RULES.filter(({ reason }) => reason !== NoBidReason.Targeting);

/**
 * The rules that do not depend on the user: whether a candidate could run in this place at this
 * moment.
 */
export const RULES_OF_PLACE: readonly Rule[] = RULES_AFTER_INDEX.filter(({ reason }) => reason !== NoBidReason.Consent);

/** The first rule that refuses a candidate; undefined: it passes all of them. */
export const firstRefusal = (rules: readonly Rule[], booking: Booking, query: AdQuery, imp: ImpQuery): Rule | undefined => {
  for (let i = 0; i < rules.length; i++) if (rules[i]!.refuses(booking, query, imp)) return rules[i];
  return undefined;
};

/** Whether a line item may run at a moment: active, in its own flight and in its campaign's. */
export const isLive = (lineItem: LineItem, campaign: Campaign, atMs: number): boolean =>
  lineItem.active && isInFlight(lineItem.flight, atMs) && isInFlight(campaign.flight, atMs);

export const isInFlight = ({ startMs, endMs }: Flight, atMs: number): boolean => startMs <= atMs && atMs < endMs;

const allowsFormat = ({ creative }: Booking, { formats }: ImpQuery): boolean => formats.includes(creative.content.format);

/** A creative with a size must fit it; one without a size fits any. */
const fits = ({ creative }: Booking, { size }: ImpQuery): boolean =>
  (creative.width === null || creative.width <= size.width) && (creative.height === null || creative.height <= size.height);

/**
 * Why a creative cannot be served now on any request and at any size, in words; undefined: it can.
 */
export const obstacleOf = (booking: Booking, formats: ImpQuery['formats'], atMs: number): string | undefined => {
  const query: AdQuery = { targeting: { pairs: [] }, atMs, mayRemember: true };
  const imp: ImpQuery = { impId: '', placementId: '', size: { width: Infinity, height: Infinity }, formats };
  return firstRefusal(RULES_OF_PLACE, booking, query, imp)?.words(booking, query, imp);
};
