import type { HitKind, InvalidReason } from '../../src/ledger/hit.ts';
import { count } from './formats.ts';
import { t } from './texts.ts';

/** Filtered hits among all that arrived. */
const shareWords = (filtered: number, gross: number): string => (gross === 0 ? '0' : t`${count(filtered)} of ${count(gross)}`);

export const filteredImpressions = (row: { readonly filtered_impressions: number; readonly gross_impressions: number }): string =>
  shareWords(row.filtered_impressions, row.gross_impressions);

export const filteredClicks = (row: { readonly filtered_clicks: number; readonly gross_clicks: number }): string =>
  shareWords(row.filtered_clicks, row.gross_clicks);

/** What is under judgement: clicks alone are, and most of the time none. */
export const provisionalClicks = (row: { readonly provisional_clicks: number }): string => count(row.provisional_clicks);

/** Why hits are filtered (src/tracking/invalid-traffic/rules.ts), in words for a table. */
const REASONS: Readonly<Record<InvalidReason, string>> = {
  prefetch: t`Loaded in advance`,
  hidden: t`Hidden, a pixel or covered`,
  malformed_agent: t`Without a proper user agent`,
  spider: t`Spiders and programs`,
  data_center: t`From data centers`,
  foreign_origin: t`From pages that are not the publisher’s`,
  elsewhere: t`From elsewhere than the ad was served to`,
  fast_click: t`Clicks faster than a person`,
  no_impression: t`Clicks without an impression`,
  activity: t`More, or more regular, than a person`,
};

export interface ReasonRow extends Readonly<Record<HitKind, number>> {
  readonly reason: string;
}

/** The hits of each reason that filtered any, most first. */
export const reasonRows = (filtered: Readonly<Record<string, number>>): readonly ReasonRow[] =>
  Object.entries(REASONS)
    .map(([name, reason]): ReasonRow => {
      const of = (kind: HitKind): number => filtered[`${kind}_${name}`] ?? 0;
      return { reason, impression: of('impression'), click: of('click'), event: of('event') };
    })
    .filter((row) => hitsOf(row) > 0)
    .sort((a, b) => hitsOf(b) - hitsOf(a));

const hitsOf = ({ impression, click, event }: ReasonRow): number => impression + click + event;
