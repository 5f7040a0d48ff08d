import { html, nothing, type TemplateResult } from 'lit-html';
import { positionOfBreak, type Break } from '../../src/catalog/model/video-rules.ts';
import { t } from '../words/texts.ts';

/** A film whose length nobody knows is drawn as long as this, or as its last break needs. */
const FILM_SECONDS = 1_800;

interface PlacedBreak {
  readonly at: string;
  /** Share of the line, 0 to 100. */
  readonly left: number;
  readonly ads: number;
  readonly seconds: number;
}

/** Seconds into the film of a break at a time. */
const secondsAt = (at: string): number | undefined => {
  const [, hours, minutes, seconds] = /^(\d{2}):(\d{2}):(\d{2})/.exec(at) ?? [];
  return hours === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
};

/** Where breaks are on the line; those that only the player can place are not on it. */
const placed = (breaks: readonly Break[]): readonly PlacedBreak[] => {
  const last = Math.max(0, ...breaks.map(({ at }) => secondsAt(at) ?? 0));
  const film = Math.max(FILM_SECONDS, last * 1.25);
  return breaks.flatMap(({ at, max_ads, max_duration }) => {
    const seconds = secondsAt(at);
    const share = /^(\d+)%$/.exec(at)?.[1];
    const position = positionOfBreak(at);
    const left =
      position === 'pre' ? 0 : position === 'post' ? 100 : seconds !== undefined ? (100 * seconds) / film : share !== undefined ? Number(share) : undefined;
    return left === undefined ? [] : [{ at, left, ads: Number(max_ads), seconds: Number(max_duration) }];
  });
};

/** A film as a line, with its breaks: as long as their ads may be together, each ad a piece. */
export const breakLine = (rules: unknown): TemplateResult | typeof nothing => {
  const { breaks = [] } = (rules ?? {}) as { readonly breaks?: readonly Break[] };
  const shown = placed(breaks).filter(({ ads, seconds }) => ads >= 1 && ads <= 10 && seconds > 0);
  if (shown.length === 0) return nothing;
  const longest = Math.max(...shown.map(({ seconds }) => seconds));
  const words = shown.map(({ at, ads, seconds }) => t`${at}: ${ads} × in ${seconds} s`).join('; ');
  return html`<div class="break-line" role="img" aria-label=${t`The breaks of the film: ${words}`}>
    <div class="film"></div>
    ${shown.map(
      ({ at, left, ads, seconds }) =>
        html`<div class="film-break" style="left: ${left}%; --ads-width: ${20 + (40 * seconds) / longest}px" title=${t`${at}: ${ads} × in ${seconds} s`}>
          <span class="film-ads">${Array.from({ length: ads }, () => html`<i></i>`)}</span>
          <small>${at}</small>
        </div>`,
    )}
  </div>`;
};
