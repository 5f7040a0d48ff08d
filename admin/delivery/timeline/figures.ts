import type { LineItemWire } from '../../api/wire.ts';
import type { Page } from '../../page.ts';
import { count } from '../../words/formats.ts';
import { t } from '../../words/texts.ts';
import type { BookingGroup } from './bookings.ts';

export interface BookedFigures {
  readonly booked: number;
  /** undefined: not read yet. */
  readonly delivered: number | undefined;
  /** `9,150 of 13,500 impressions`. */
  readonly words: string;
}

/** What a line item was booked for and has delivered; undefined: it has no goal of impressions. */
export const bookedFigures = (
  { statuses }: Pick<Page, 'statuses'>,
  { id, goal_impressions: booked }: LineItemWire,
): BookedFigures | undefined => {
  if (booked === null) return undefined;
  const progress = statuses.delivery(id)?.progress;
  const delivered = progress?.of === 'goal_impressions' ? progress.done : undefined;
  const words = delivered === undefined ? t`${count(booked)} impressions` : t`${count(delivered)} of ${count(booked)} impressions`;
  return { booked, delivered, words };
};

/** What the line items of a group were booked for and have delivered, where they have goals. */
export const groupWords = (page: Pick<Page, 'statuses'>, { lanes }: BookingGroup): readonly string[] => {
  const all = lanes.flat().flatMap(({ lineItem }) => bookedFigures(page, lineItem) ?? []);
  if (all.length === 0) return [];
  const [booked, delivered] = [all.reduce((sum, one) => sum + one.booked, 0), all.reduce((sum, one) => sum + (one.delivered ?? 0), 0)];
  return [t`${count(booked)} booked`, t`${count(delivered)} delivered`];
};
