import type { ForecastWire } from './forecast-api.ts';

type Known = Omit<ForecastWire, 'id' | 'state' | 'progress' | 'reason'>;

/** The answer to a question, from the sample alone at first. */
export type ForecastAnswer = {
  readonly [Name in keyof Known]: Name extends 'goal' | 'viewable' | 'warning' ? Known[Name] : NonNullable<Known[Name]>;
};

/** Why a line item is not shown where it matches. `reason`: the name of a no-bid reason, or `outranked`. */
export type Binding = ForecastAnswer['binding'][number];

/** What a change would make of the delivery. Its words are those of buttons, alerts and mails: they begin with a small letter. */
export type ForecastRemedy = ForecastAnswer['remedies'][number];

/** Why there is no answer when something is wrong: people cannot do more, and the log says what it was. */
export const NOT_MADE = 'The forecast could not be made: try again in a minute';
