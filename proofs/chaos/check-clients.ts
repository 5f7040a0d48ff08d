import type { Ad, Model, Violation } from './model.ts';
import { MAX_SKEW_MS } from './rules.ts';
import type { AdCall } from './story.ts';

/** What a client may hold without a proof: a twentieth of what is left, within these, and so many more for each ad rendered. */
const [SHARE, MIN_ADS, MAX_ADS, PROOF] = [1 / 20, 20, 1_000, 9];
/** All clients without a proof together: at least so many ads. */
const MIN_ADS_OF_ALL = 200;
/** What is held is halved at each edge of this. */
const PERIOD_MS = 1_800_000;
/** A hold that ends sooner weighs less, down to a fifth. */
const [FULL_HOLD_MS, MIN_WEIGHT] = [300_000, 0.2];

/** A call, and whether it was refused because its client holds too much. */
export interface Asked {
  readonly call: AdCall;
  readonly unearned: boolean;
}

/**
 * Whether no client got more than it had earned. What it holds is counted from below: ads of this half hour, less all
 * that it rendered. What a line item has left is at most what is booked.
 */
export const checkEarned = (model: Model, taken: readonly Ad[], redisMs: number): readonly Violation[] => {
  const period = periodOf(redisMs);
  // Redis's clock stepped back over an edge: the ads of a moment may be of either side.
  if (periodOf(redisMs - MAX_SKEW_MS) !== period || periodOf(redisMs + MAX_SKEW_MS) !== period) return [];
  const clients = new Set(taken.flatMap(({ ad: { publisherId, client } }) => (client === undefined ? [] : [`${publisherId} ${client}`])));
  return [...clients].flatMap((name) => {
    const all = model.adsOf('p', Number(name.split(' ')[0])).filter(({ ad }) => `${ad.publisherId} ${ad.client}` === name);
    const rendered = all.filter(({ counted }) => counted).length;
    const known = all.filter(({ forgotten, released }) => !forgotten && !released);
    const held =
      total(known.filter(({ selectedAtMs }) => periodOf(selectedAtMs) === period)) - known.filter(({ counted }) => counted).length;
    const bound = Math.max(...taken.filter((ad) => all.includes(ad)).map(boundOf)) + PROOF * rendered;
    // The last ad was taken below the bound.
    return held - 1 >= bound ? [{ rule: 'earned', text: `client ${name} holds ${held} of ${bound} ads` }] : [];
  });
};

/** Whether every client that was refused held something; only while the model knows all holds. */
export const checkUnearned = (model: Model, asked: readonly Asked[]): readonly Violation[] =>
  asked.flatMap(({ call: { publisher, client }, unearned }) => {
    if (!unearned) return [];
    const ofAll = model.adsOf('p', publisher).filter(({ ad }) => ad.client !== undefined);
    const own = ofAll.filter(({ ad }) => ad.client === client).length;
    return own < MIN_ADS && ofAll.length < MIN_ADS_OF_ALL
      ? [{ rule: 'unearned', text: `client ${client} of publisher ${publisher} was refused with ${own} ads` }]
      : [];
  });

const periodOf = (ms: number): number => Math.floor(ms / PERIOD_MS);

const weightOf = ({ ad, selectedAtMs }: Ad): number =>
  Math.min(Math.max((ad.holdEndMs - selectedAtMs - MAX_SKEW_MS) / FULL_HOLD_MS, MIN_WEIGHT), 1);

const total = (ads: readonly Ad[]): number => ads.reduce((sum, ad) => sum + weightOf(ad), 0);

const boundOf = ({ bounds: { dailyImpressions, goal, dailySpend, budget, campaignBudget }, price }: Ad): number => {
  const ofMoney = (limit: number | null): number => (limit ?? Infinity) / Math.max(price, 1);
  const left = Math.min(dailyImpressions ?? Infinity, goal ?? Infinity, ofMoney(dailySpend), ofMoney(budget), ofMoney(campaignBudget));
  return Math.min(Math.max(left * SHARE, MIN_ADS), MAX_ADS);
};
