import type { WeekDay } from '../../targeting/week-hours.ts';
import type { PublisherRecord } from '../entities/publisher.ts';
import type { BudgetType } from './choices.ts';

/** A price of a publisher's rate card. What it does not name, it is for all of. */
export type Rate = PublisherRecord['rate_card'][number];

/** What is to be booked, as far as it is known. */
export interface Wanted {
  readonly budgetType: BudgetType;
  /** Empty: not known yet, and prices of all placements and sizes are offered. */
  readonly placements: readonly { readonly id: string; readonly size: string }[];
  /** Of its schedule; empty: all. */
  readonly days: readonly WeekDay[];
  readonly flightDays: number;
}

/** A rate for what is to be booked, with the list price that follows from it. */
export interface OfferedRate {
  readonly rate: Rate;
  readonly listPrice: number;
}

/** The rates that apply, those that name the most first. */
export const offeredRates = (card: readonly Rate[], { budgetType, placements, days, flightDays }: Wanted): readonly OfferedRate[] =>
  card
    .filter((rate) => rate.budget_type === budgetType && isForPlace(rate, placements) && isForDays(rate, days))
    .map((rate) => ({ rate, listPrice: budgetType === 'Flat' ? rate.price * flightDays : rate.price }))
    .sort((a, b) => detailOf(b.rate) - detailOf(a.rate) || b.listPrice - a.listPrice);

const isForPlace = ({ placement, size }: Rate, placements: Wanted['placements']): boolean =>
  placements.length === 0 || placements.some((one) => (placement ?? one.id) === one.id && (size ?? one.size) === one.size);

/** A price of some days is for what runs on these days only. */
const isForDays = ({ days: priced = [] }: Rate, days: readonly WeekDay[]): boolean =>
  priced.length === 0 || (days.length > 0 && days.every((day) => priced.includes(day)));

const detailOf = ({ placement, size, days = [] }: Rate): number => (placement ? 4 : 0) + (size ? 2 : 0) + (days.length > 0 ? 1 : 0);
