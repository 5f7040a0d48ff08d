import { date } from '../words/dates.ts';
import { count, percent } from '../words/formats.ts';
import { capital } from '../words/kinds.ts';
import { say, t } from '../words/texts.ts';
import type { Forecast, KnownForecast } from './asked-forecast.ts';

type Range = Pick<KnownForecast['delivery'], 'p10' | 'p50' | 'p90'>;
type Binding = Forecast['binding'][number];
type Remedy = Forecast['remedies'][number];

/** A forecast is not known to the last impression: three digits of it. */
export const about = (value: number): string => {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(Math.abs(value), 1))) - 2);
  return count(Math.round(value / unit) * unit);
};

export const shareWords = (share: number): string => percent(Math.round(share * 100) / 100);

/** `164,000, between 151,000 and 178,000`. */
export const rangeWords = ({ p10, p50, p90 }: Range): string =>
  about(p10) === about(p90) ? about(p50) : t`${about(p50)}, between ${about(p10)} and ${about(p90)}`;

/** A goal that is missed by so little is reached. */
const REACHED = 0.98;

export interface OutcomeOptions {
  /** Its flight goes on after the days of the forecast. */
  readonly endsLater: boolean;
  /** Impressions of its goal that it has delivered. */
  readonly delivered?: number;
}

/** How a line item will do, in a few words. */
export const outcomeWords = (forecast: KnownForecast, { endsLater, delivered = 0 }: OutcomeOptions): string => {
  const { goal, delivery, to } = forecast;
  if (goal === null) return t`Will deliver about ${about(delivery.p50)}`;
  if (goal === 0) return delivered > 0 ? t`Its goal is reached` : t`Its days cannot be forecast yet`;
  if (delivery.p10 >= goal * REACHED) return endsLater ? t`On course until ${date(to)}` : t`Reaches its goal`;
  if (delivery.p50 >= goal * REACHED) return endsLater ? t`Probably on course until ${date(to)}` : t`Probably reaches its goal`;
  if (endsLater) return t`Will have ${shareWords(delivery.p50 / goal)} of what is due by ${date(to)}`;
  return t`Will reach ${shareWords((delivered + delivery.p50) / (delivered + goal))} of its goal`;
};

/** Whether it is expected to miss its goal. */
export const isShort = ({ goal, delivery }: Pick<KnownForecast, 'goal' | 'delivery'>): boolean =>
  goal !== null && goal > 0 && delivery.p50 < goal * REACHED;

const BINDING: Readonly<Record<string, (share: string) => string>> = {
  outranked: (share) => t`others rank above it on ${share} of what matches`,
  frequency_capped: (share) => t`frequency cap: ${share} of what matches`,
  pacing: (share) => t`pacing: it keeps ${share} of what matches for later`,
  daily_cap: (share) => t`daily cap: ${share} of what matches`,
  budget_spent: (share) => t`budget: it is spent for ${share} of what matches`,
  rate_limit: (share) => t`rate limit: ${share} of what matches`,
  size_or_format: (share) => t`no creative fits ${share} of what matches`,
  duplicate_in_page: (share) => t`it is on the page already: ${share} of what matches`,
  consent: (share) => t`no consent: ${share} of what matches`,
};

/** `frequency cap: 38% of what matches`. */
export const bindingWords = ({ reason, words, share }: Binding): string =>
  BINDING[reason]?.(shareWords(share)) ?? t`${say(words)}: ${shareWords(share)} of what matches`;

/** What keeps it from more, most of all: pacing only where it is nothing else, because it delivers that later. */
export const bindingOf = ({ binding }: Pick<Forecast, 'binding'>): Binding | undefined =>
  binding.find(({ reason }) => reason !== 'pacing') ?? binding[0];

/** Why it misses its goal; '': that is not known. */
export const sinceWords = (forecast: KnownForecast): string => {
  const { available, goal } = forecast;
  if (goal !== null && available < goal) return t`only ${about(available)} impressions match what it asks for`;
  const most = bindingOf(forecast);
  return most ? bindingWords(most) : '';
};

export const remedyWords = ({ words }: Pick<Remedy, 'words'>): string => capital(say(words));

/** What a change would make of it: the part of the goal, and the impressions. */
export const effectWords = ({ p50 }: Remedy, goal: number | null): string =>
  goal === null || goal === 0 ? about(p50) : p50 >= goal * REACHED ? t`reaches it` : shareWords(p50 / goal);
