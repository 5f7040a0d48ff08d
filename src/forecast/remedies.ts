import { amountFromMicros, moneyWords } from '../catalog/model/money.ts';
import type { LineItem } from '../catalog/model/entities.ts';
import { showEndDate } from '../catalog/model/flight-dates.ts';
import { LINE_ITEM_CLASS_TERMS } from '../catalog/model/line-item-classes.ts';
import type { Priority } from '../catalog/model/choices.ts';
import { changedLineItem, withoutFrequencyCaps } from '../catalog/model/changed-line-item.ts';
import { MS_PER_DAY } from '../base/utc-day.ts';
import { placementsOf, type AskedForecast, type Sold } from './asked-forecast.ts';
import { atLevel, type SupplyLevels } from './calibrate.ts';
import { deliveryOf, estimateSupply, type LimitedBy, type Supply } from './estimate.ts';
import type { ForecastRemedy } from './forecast-answer.ts';
import { createMatchLineItem } from './match-line-item.ts';
import type { ReplayedDay } from './replay/run-replay.ts';
import { takenAbove } from './taken-above.ts';

const LONGER_DAYS = 7;
/** Requests that are looked at for a change: several are estimated for one answer. */
const LOOKED_AT = 40_000;
/** What brings less more than this is not worth a change. */
const LEAST_GAIN = 1.02;
/** A price that is raised by more is another deal. */
const MAX_RAISE = 1.5;
/** A cent, in micros: the least by which a price is above another. */
const CENT_MICROS = 10_000;

export interface Shortfall {
  readonly supply: Supply;
  readonly limits: LimitedBy;
  /** What it is expected to deliver as it is. */
  readonly total: number;
  readonly sold: Sold | undefined;
  readonly levels: SupplyLevels;
}

/** Changes that would bring more, each alone, those that bring most first. */
export const remediesFor = (asked: AskedForecast, { supply, limits, total, sold, levels }: Shortfall): readonly ForecastRemedy[] => {
  const { lineItem, campaign } = limits;
  const found: ForecastRemedy[] = [];
  const sumOf = (of: Supply, by: Partial<LimitedBy> = {}, level = levels.asIs): number =>
    Math.round(deliveryOf(atLevel(of, level), { ...limits, ...by }).reduce((sum, count) => sum + count, 0));
  const ranking = (as: Pick<LineItem, 'id' | 'priority' | 'cpmMicros'>): number =>
    sumOf(rankedSupply(asked, supply, as, sold), {}, levels.ranked);
  const add = (change: ForecastRemedy['change'], words: string, p50: number, fields: ForecastRemedy['fields']): void => {
    if (p50 > total * LEAST_GAIN) found.push({ change, words, p50, fields });
  };
  const endsMs = Math.min(lineItem.flight.endMs, campaign.flight.endMs);
  const live = supply.byDay.filter(({ available }) => available > 0).length;
  if (live > 0 && endsMs < (asked.coming.today + supply.byDay.length) * MS_PER_DAY)
    add('longer', `run ${LONGER_DAYS} days longer`, Math.round(total * (1 + LONGER_DAYS / live)), {
      end_date: showEndDate(endsMs + LONGER_DAYS * MS_PER_DAY),
    });
  if (lineItem.frequencyCaps.length > 0)
    add('without_frequency_cap', 'take the frequency cap away', sumOf(supply, { lineItem: withoutFrequencyCaps(lineItem) }), {
      frequency_cap: null,
      frequency_caps: [],
    });
  if (lineItem.dailyImpressionCap !== null) {
    const uncapped = changedLineItem(lineItem, { dailyImpressionCap: null });
    add('without_daily_cap', 'take the daily cap away', sumOf(supply, { lineItem: uncapped }), { daily_impression_cap: null });
  }
  const first = highestPriority(lineItem);
  if (lineItem.priority > first) {
    const ranked = { ...idAndPrice(lineItem), priority: first };
    add('higher_priority', `give it priority ${first}`, ranking(ranked), { priority: first });
  }
  const cpmMicros = priceThatWins(asked, lineItem, sold);
  if (cpmMicros !== undefined) {
    const ranked = { ...idAndPrice(lineItem), priority: lineItem.priority, cpmMicros };
    const cpm = amountFromMicros(cpmMicros);
    const { currency } = asked.snapshot.publishers.get(asked.publisherId)!;
    add('higher_price', `raise its price to ${moneyWords(cpm, currency)} CPM`, ranking(ranked), { cpm });
  }
  const days = asked.coming.days(() => 1);
  const more = morePlacements(asked, days, { lineItem, sold, levels });
  if (more) add('more_placements', `show it on ${more.id} too`, sumOf(more.supply, {}, 1), { placement_ids: [...asked.followed, more.id] });
  if (lineItem.targeting.length > 0) {
    const booked = placementsOf(asked);
    const wider = estimateSupply({
      ...{ days, toRequest: asked.toRequest, most: LOOKED_AT },
      takenAbove: () => 1 - (supply.available === 0 ? 0 : supply.free / supply.available),
      matches: (_request, { placementId }) => booked.includes(placementId),
    });
    add('wider', 'take its targeting away', sumOf(wider), { targeting: null, targeting_id: null });
  }
  return found.sort((a, b) => b.p50 - a.p50);
};

const idAndPrice = ({ id, cpmMicros }: LineItem) => ({ id, cpmMicros });

/** That its class leaves it. */
const highestPriority = (lineItem: LineItem): Priority => {
  const allowed = lineItem.class === null ? undefined : LINE_ITEM_CLASS_TERMS[lineItem.class].allows.priority;
  return allowed?.toSorted()[0] ?? 1;
};

/** The supply of a line item that ranks otherwise: on all days the same part of what matches is free. */
const rankedSupply = (
  asked: AskedForecast,
  supply: Supply,
  ranked: Pick<LineItem, 'id' | 'priority' | 'cpmMicros'>,
  sold: Sold | undefined,
): Supply => {
  const taken = takenAbove(asked.snapshot, ranked, sold);
  const free = [...supply.availableOn].reduce((sum, [placementId, count]) => sum + count * (1 - taken(placementId)), 0);
  const part = supply.available === 0 ? 0 : free / supply.available;
  return { ...supply, free, byDay: supply.byDay.map((day) => ({ ...day, free: day.available * part })) };
};

/** The lowest CPM that ranks above all line items of its priority which win on its placements; undefined: none does, or it is too high. */
const priceThatWins = (asked: AskedForecast, lineItem: LineItem, sold: Sold | undefined): number | undefined => {
  const { cpmMicros } = lineItem;
  if (lineItem.type !== 'direct' || lineItem.budgetType !== 'CPM' || cpmMicros === null || cpmMicros === 0) return undefined;
  const winners = new Set(placementsOf(asked).flatMap((placementId) => [...(sold?.winners.get(placementId)?.keys() ?? [])]));
  const above = [...winners].flatMap((id) => {
    const other = asked.snapshot.lineItems.get(id);
    const price = other?.priority === lineItem.priority ? (other.cpmMicros ?? 0) : 0;
    return price >= cpmMicros && id !== lineItem.id && price < cpmMicros * MAX_RAISE ? [price] : [];
  });
  return above.length === 0 ? undefined : Math.max(...above) + CENT_MICROS;
};

/** The placement that it does not run on, and that one of its creatives fits, with most that is free for it; and what there would be with it. */
const morePlacements = (
  asked: AskedForecast,
  days: readonly ReplayedDay[],
  { lineItem, sold, levels }: Pick<Shortfall, 'sold' | 'levels'> & { readonly lineItem: LineItem },
): { readonly id: string; readonly supply: Supply } | undefined => {
  if (asked.followed.length === 0) return undefined;
  const { snapshot, publisherId, lineItemId, toRequest } = asked;
  const booked = placementsOf(asked);
  const taken = takenAbove(snapshot, lineItem, sold);
  const fits = createMatchLineItem(snapshot, publisherId, lineItemId, 'anywhere');
  const all = estimateSupply({ days, toRequest, matches: fits, takenAbove: taken, most: LOOKED_AT });
  const [best] = [...all.availableOn]
    .filter(([id]) => !booked.includes(id))
    .map(([id, count]) => ({ id, free: count * (1 - taken(id)) }))
    .sort((a, b) => b.free - a.free);
  if (best === undefined) return undefined;
  const on = new Set([...booked, best.id]);
  // What others take where it is booked says nothing about another placement.
  const levelOf = (id: string): number => (id === best.id ? levels.ranked : levels.asIs);
  const supply = estimateSupply({
    ...{ days, toRequest, takenAbove: (id: string) => 1 - (1 - taken(id)) * levelOf(id), most: LOOKED_AT },
    matches: (request, imp) => on.has(imp.placementId) && fits(request, imp),
  });
  return { id: best.id, supply };
};
