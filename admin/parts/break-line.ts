import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { positionOfBreak, type Break } from '../../src/catalog/model/video-rules.ts';
import { t } from '../words/texts.ts';

/** A film of unknown length is drawn as long as this, or as its last break needs. */
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
  return hours === undefined ? undefined : (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
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
      position === 'pre'
        ? 0
        : position === 'post'
          ? 100
          : seconds !== undefined
            ? (100 * seconds) / film
            : share !== undefined
              ? Number(share)
              : undefined;
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
  return html`<svg class="break-line" role="img" aria-label=${t`The breaks of the film: ${words}`}>
    <rect class="film" x="8%" y="17" width="84%" height="8" rx="4"></rect>
    ${shown.map((one) => breakAt(one, longest))}
  </svg>`;
};

const AD_GAP = 2;

/** Each ad a piece; all of them as wide as the break may be long. */
const breakAt = ({ at, left, ads, seconds }: PlacedBreak, longest: number): TemplateResult => {
  const width = 16 + (36 * seconds) / longest;
  const ad = (width - AD_GAP * (ads - 1)) / ads;
  // Room is left at both ends for the words below.
  return svg`<svg x="${8 + left * 0.84}%" overflow="visible">
    <title>${t`${at}: ${ads} × in ${seconds} s`}</title>
    ${Array.from({ length: ads }, (_, i) => svg`<rect class="film-ad" x=${i * (ad + AD_GAP) - width / 2} y="8" width=${ad} height="26" rx="3"></rect>`)}
    <text y="52" text-anchor="middle">${at}</text>
  </svg>`;
};
