import type { HitKind, OrderReason, RequestReason } from '../../ledger/hit.ts';
import { ACTIVITY_RULE as RULE } from '../../ledger/settle/activity-rule.ts';
import { CLICK_TIMES } from '../../ledger/settle/click-times.ts';
import { MS_PER_DAY, MS_PER_MINUTE } from '../../base/utc-day.ts';

/** What a request of a tracking URL shows of its sender. */
export interface RequestFacts {
  /** The browser said that it loads the URL in advance. */
  readonly prefetch: boolean;
  /** Of an impression: the page says that the ad could not be seen. */
  readonly hidden: boolean;
  readonly malformedAgent: boolean;
  readonly spider: boolean;
  readonly dataCenter: boolean;
  /** The publisher lists its origins, and the request names another. */
  readonly foreignOrigin: boolean;
  /** The hit came from elsewhere than its ad was served to (`isElsewhere`). */
  readonly elsewhere: boolean;
}

export interface RequestRule {
  readonly name: RequestReason;
  /** For staff and for docs/invalid-traffic.md. */
  readonly words: string;
  readonly source: string;
  readonly applies: (facts: RequestFacts) => boolean;
}

const MRC = 'MRC, Invalid Traffic Detection and Filtration, General Invalid Traffic';

/**
 * The rules that need only the request, in their order: the first that applies is the reason. What
 * shows a prefetch or a hidden ad is not stored, so these come first: a stored hit then has its reason.
 */
export const REQUEST_RULES: readonly RequestRule[] = [
  {
    name: 'prefetch',
    words: 'loaded in advance: prefetched or prerendered',
    source: `${MRC}: prefetched or prerendered traffic`,
    applies: ({ prefetch }) => prefetch,
  },
  {
    name: 'hidden',
    words: 'an impression of which the page says that its ad was hidden, a pixel or covered (`&hidden=1`)',
    source: `${MRC.replace('General', 'Sophisticated')}: hidden, stacked or covered ads`,
    applies: ({ hidden }) => hidden,
  },
  {
    name: 'malformed_agent',
    words: 'an empty or malformed user agent',
    source: `${MRC}: non-browser user-agent headers or other forms of unknown browsers; RFC 9110, section 10.1.5`,
    applies: ({ malformedAgent }) => malformedAgent,
  },
  {
    name: 'spider',
    words: 'a listed spider, crawler or program',
    source: `${MRC}: bots, spiders and other crawlers`,
    applies: ({ spider }) => spider,
  },
  {
    name: 'data_center',
    words: 'an address of a listed data center',
    source: `${MRC}: known data-center traffic`,
    applies: ({ dataCenter }) => dataCenter,
  },
  {
    name: 'foreign_origin',
    words: 'a page whose origin the publisher does not list',
    source: 'The origins of the publisher',
    applies: ({ foreignOrigin }) => foreignOrigin,
  },
  {
    name: 'elsewhere',
    words: 'from elsewhere than the ad was served to: another browser, or another network and another page',
    source: `${MRC}: activity-based filtration using transaction parameters`,
    applies: ({ elsewhere }) => elsewhere,
  },
];

/** '': no rule applies. */
export const judgeRequest = (facts: RequestFacts): '' | RequestReason => REQUEST_RULES.find(({ applies }) => applies(facts))?.name ?? '';

/**
 * Whether a hit came from elsewhere. The same page in the same browser keeps its browser family, so
 * another family decides. A phone changes its network between two requests, and a frame of another
 * host has another origin: each happens to people, both at once do not.
 */
export const isElsewhere = ({
  browser,
  network,
  origin,
}: {
  readonly browser: boolean;
  readonly network: boolean;
  readonly origin: boolean;
}): boolean => browser || (network && origin);

/** When a click, or an event that bills, and its impression came, epoch ms. */
export interface OrderFacts {
  readonly kind: HitKind;
  readonly atMs: number;
  /** When the ad was selected. */
  readonly servedAtMs: number;
  /** When its impression was counted; undefined: it was not. */
  readonly impressionAtMs: number | undefined;
}

export interface OrderRule {
  readonly name: OrderReason;
  readonly words: string;
  readonly source: string;
  readonly applies: (facts: OrderFacts) => boolean;
}

const isFast = (sinceMs: number): boolean => sinceMs >= 0 && sinceMs < CLICK_TIMES.minReactionMs;

/**
 * The rules that need the other hits of the token, in their order. The ledger applies them when it
 * settles a hit (`order_fault` in ledger/settle/followers.lua). A click may come before its impression:
 * they travel apart.
 */
export const ORDER_RULES: readonly OrderRule[] = [
  {
    name: 'fast_click',
    words: `a click within ${CLICK_TIMES.minReactionMs} ms of its ad being served, or of its impression`,
    source: `${MRC}: activity-based filtration; World Athletics, Technical Rule 16.6: no person reacts sooner`,
    applies: ({ kind, atMs, servedAtMs, impressionAtMs }) =>
      kind === 'click' && (isFast(Math.abs(atMs - servedAtMs)) || (impressionAtMs !== undefined && isFast(atMs - impressionAtMs))),
  },
  {
    name: 'no_impression',
    words: `a click, or an event that bills, whose impression was not counted by ${CLICK_TIMES.windowMs / 1000} s after it`,
    source: `${MRC}: activity-based filtration`,
    applies: ({ atMs, impressionAtMs }) => impressionAtMs === undefined || impressionAtMs - atMs > CLICK_TIMES.windowMs,
  },
];

/** '': no rule applies. */
export const judgeFollowing = (facts: OrderFacts): '' | OrderReason => ORDER_RULES.find(({ applies }) => applies(facts))?.name ?? '';

/** The rule that needs what was done before (activity.ts, and the ledger in lua/activity.lua). */
export const OVER_TIME_RULE = {
  name: 'activity',
  words: 'more, or more regular, than a person over time, by the bounds below',
  source: `${MRC}: activity-based filtration`,
} as const;

/** Its bounds, for docs/invalid-traffic.md: what is no person's. Each is about one publisher. */
export const ACTIVITY_BOUNDS: readonly string[] = [
  `clicks on a third of the ads or more, from the ${RULE.everyClicks}th click of a user or the ${RULE.everyClicksOfNetwork}th of a network`,
  `more than ${RULE.clicksAMinute} clicks of a user in a minute, ${RULE.clicksAnHour} in an hour or ${RULE.clicksADay} in a day, and on ${100 * RULE.busyShare}% of the ads or more`,
  `${RULE.intervals} times in a row between clicks of a user that differ by ${100 * RULE.intervalSpread}% or less`,
  `more than ${RULE.impressionsADay.toLocaleString('en')} impressions of a user in a day, half of them or more in one network`,
  `clicks of a creative or a network in an hour above ${RULE.excessClicks} and ${RULE.excess} times its own history of ${RULE.historyImpressions.toLocaleString('en')} impressions or more: provisional, and so are those of the ${RULE.suspectMs / MS_PER_DAY} days after the last of them. ${RULE.judgeAfterMs / MS_PER_MINUTE} minutes later those of such an hour whose user has clicked a third of the ads or more are filtered`,
];

/** For how long it is remembered what a user, a network or a creative has done, after the last click: days. */
export const MEMORY_DAYS = RULE.memoryMs / MS_PER_DAY;
