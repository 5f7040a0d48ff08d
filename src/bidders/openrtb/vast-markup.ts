import { MS_PER_HOUR, MS_PER_MINUTE } from '../../base/utc-day.ts';
import { Parser } from 'htmlparser2';
import { misfitOf, type PlayedVideo } from '../../catalog/model/video-misfit.ts';
import type { VideoRules } from '../../catalog/model/video-rules.ts';
import { escapeHtml } from '../../creative/escape-html.ts';
import type { VastLinks } from '../../creative/vast/vast-ad.ts';

/** Deeper or longer documents are no ads. */
const MAX_DEPTH = 24;
const MAX_ELEMENTS = 2_000;

/** What is known of a bid's VAST, and where reports of ours go into its text. */
export interface VastMarkup {
  /** Of an ad with media; undefined: it is the tag of another server. */
  readonly inLine: PlayedVideo | undefined;
  readonly hasInsecureAddress: boolean;
  /** Where the ad is in the text, and what is in it; with the namespaces that the document declares. */
  readonly ad: { readonly from: number; readonly contentFrom: number; readonly to: number; readonly namespaces: string };
  readonly places: readonly Place[];
}

/** Before this character. */
interface Place {
  readonly at: number;
  readonly what: 'impression' | 'error' | 'tracking' | 'trackingEvents' | 'clickTracking';
}

const AD = ['VAST', 'Ad'];
const isUnder = (path: readonly string[], ...names: readonly string[]): boolean =>
  path.length === names.length && names.every((name, i) => name === path[i] || name === '*');

/**
 * Reads a VAST document with one ad. Nothing is fetched or expanded: a document type, and with it every entity of its own, is
 * refused. undefined: it is none, is not well-formed, is too deep or long, or lacks what a player needs.
 */
export const readVast = (text: string): VastMarkup | undefined => {
  const path: string[] = [];
  const places: Place[] = [];
  const types: string[] = [];
  const seen = new Set<string>();
  let [isBad, elements, ads, own] = [false, 0, 0, ''];
  let [canBeSkipped, hasInsecureAddress] = [false, false];
  let [duration, version] = ['', ''];
  const ad = { from: 0, contentFrom: 0, to: 0, namespaces: '' };
  const place = (what: Place['what'], at: number): void => {
    if (seen.has(what)) return;
    seen.add(what);
    places.push({ at, what });
  };
  const parser = new Parser(
    {
      onprocessinginstruction: (name) => void (isBad ||= name.startsWith('!')),
      onopentag: (name, attributes) => {
        path.push(name);
        isBad ||= path.length > MAX_DEPTH || ++elements > MAX_ELEMENTS;
        if (isUnder(path, 'VAST')) [version, ad.namespaces] = [attributes['version'] ?? '', namespacesIn(attributes)];
        const [, , kind, ...below] = path;
        const inAd = kind !== undefined && isUnder(path.slice(0, 2), ...AD) && (kind === 'InLine' || kind === 'Wrapper');
        if (isUnder(path, ...AD)) [ads, ad.from, ad.contentFrom] = [ads + 1, parser.startIndex, parser.endIndex + 1];
        if (isUnder(path, ...AD, 'InLine') || isUnder(path, ...AD, 'Wrapper')) own = own === '' ? name : 'several';
        if (!inAd) return;
        const under = below.join('/');
        // Errors come before impressions.
        if (under === 'Error' || under === 'Impression') place('error', parser.startIndex);
        if (under === 'Impression') place('impression', parser.startIndex);
        if (under === 'Creatives/Creative/Linear') canBeSkipped ||= attributes['skipoffset'] !== undefined;
        if (under === 'Creatives/Creative/Linear/TrackingEvents') place('tracking', parser.endIndex + 1);
        if (under === 'Creatives/Creative/Linear/VideoClicks') place('clickTracking', parser.endIndex + 1);
        // Since VAST 4 the schema has what is tracked before both, in VAST 3 after the length.
        if (
          version.startsWith('4') &&
          (under === 'Creatives/Creative/Linear/AdParameters' || under === 'Creatives/Creative/Linear/Duration')
        )
          place('trackingEvents', parser.startIndex);
        if (under === 'Creatives/Creative/Linear/MediaFiles/MediaFile') types.push((attributes['type'] ?? '').toLowerCase());
      },
      ontext: (value) => {
        hasInsecureAddress ||= /^\s*http:/i.test(value);
        if (path.at(-1) === 'Duration' && path.at(-2) === 'Linear') duration += value;
      },
      onclosetag: (name, isImplied) => {
        if (isImplied && !text.slice(parser.startIndex, parser.endIndex + 1).endsWith('/>')) isBad = true;
        if (name === 'Duration' && path.at(-2) === 'Linear' && !version.startsWith('4')) place('trackingEvents', parser.endIndex + 1);
        if (isUnder(path, ...AD)) ad.to = parser.startIndex;
        if (path.pop() !== name) isBad = true;
      },
    },
    { xmlMode: true },
  );
  for (let from = 0; from < text.length && !isBad; from += CHUNK) {
    parser.write(text.slice(from, from + CHUNK));
  }
  if (!isBad) parser.end();
  if (isBad || path.length > 0 || ads !== 1 || (own !== 'InLine' && own !== 'Wrapper') || !seen.has('impression')) return undefined;
  const durationMs = millisecondsOf(duration.trim());
  if (own === 'InLine' && (durationMs === undefined || types.length === 0)) return undefined;
  // Its reports are in the first list of them, wherever its length is.
  const kept = seen.has('tracking') ? places.filter(({ what }) => what !== 'trackingEvents') : places;
  return {
    inLine: own === 'InLine' ? { durationMs: durationMs ?? 0, canBeSkipped, types } : undefined,
    hasInsecureAddress,
    ad,
    // Of two at one place the later is first: the error stays before the impression.
    places: kept.toReversed().toSorted((a, b) => b.at - a.at),
  };
};

/** Prefixes, for what a bidder adds to the standard. */
const namespacesIn = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .flatMap(([name, value]) => (/^xmlns:[\w-]+$/.test(name) ? [` ${name}="${escapeHtml(value)}"`] : []))
    .join('');

/** Between two looks at whether to go on. */
const CHUNK = 4_096;

/** `00:00:15.500` */
const millisecondsOf = (text: string): number | undefined => {
  const [, hours, minutes, seconds, fraction = '0'] = /^(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))?$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  return Number(hours) * MS_PER_HOUR + Number(minutes) * MS_PER_MINUTE + Number(seconds) * 1000 + Number(fraction.padEnd(3, '0'));
};

/** Whether a player does not take it, by the rules of its placement and of the auction. */
export const isMisfit = ({ inLine }: VastMarkup, rules: readonly (VideoRules | null | undefined)[]): boolean =>
  inLine !== undefined && rules.some((rule) => rule && misfitOf(inLine, rule) !== undefined);

const COUNTED = ['start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete', 'skip'] as const;

/** The VAST of a bid, which readVast has accepted, with the reports of ours beside those of the bidder. */
export const withReports = (vast: string, links: VastLinks): string => {
  const leaf = (name: string, url: string, attributes = ''): string => `<${name}${attributes}>${escapeHtml(url)}</${name}>`;
  const tracking = COUNTED.map((event) => leaf('Tracking', links.event(event), ` event="${event}"`)).join('');
  const texts: Readonly<Record<Place['what'], string>> = {
    impression: leaf('Impression', links.impression),
    error: leaf('Error', links.error),
    tracking,
    trackingEvents: `<TrackingEvents>${tracking}</TrackingEvents>`,
    clickTracking: leaf('ClickTracking', links.click),
  };
  let text = vast;
  // From the last place to the first, so that the others stay where they are.
  for (const { at, what } of readVast(vast)?.places ?? []) text = `${text.slice(0, at)}${texts[what]}${text.slice(at)}`;
  return text;
};

/** The ad of such a document as a part of another one, in its place in a pod. */
export const adInPod = (vast: string, sequence: number): string => {
  const read = readVast(vast);
  return read ? `<Ad sequence="${sequence}"${read.ad.namespaces}>${vast.slice(read.ad.contentFrom, read.ad.to)}</Ad>` : '';
};
