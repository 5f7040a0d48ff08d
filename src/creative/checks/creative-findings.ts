import type { Fault } from '../../base/fault.ts';
import { sizeInWords } from '../../catalog/model/asset-rules.ts';
import { isVideo, type CreativeContent } from '../../catalog/model/entities.ts';
import { MIN_CONTRAST } from './contrast.ts';
import { longest, type AdFacts, type Movement } from './read-ad-facts.ts';

/** What is known of an uploaded file. */
export interface FileFacts {
  readonly bytes: number;
  /** Of a picture, and of the texts of an HTML5 ad. */
  readonly movement: Movement;
  /** Of an HTML5 ad; null: it is none. */
  readonly ad: AdFacts | null;
}

export interface CheckedCreative {
  readonly content: CreativeContent;
  readonly clickUrl: string | null;
  /** The uploaded files that it names. */
  readonly files: readonly FileFacts[];
  /** The one in its markup; null: it has none. */
  readonly markup: { readonly bytes: number; readonly facts: AdFacts } | null;
}

/** Google Ads and most exchanges: the load of an ad before a visitor touches it. */
export const MAX_LIGHT_BYTES = 150_000;
/** Google Ads, IAB: then it has to stand still. */
const MAX_MOVEMENT_MS = 30_000;

/** What a platform would object to, each with its remedy. An ad is accepted all the same. */
export const creativeFindings = (creative: CheckedCreative): readonly Fault[] =>
  [weight, movement, click, loads, sound, contrast].flatMap((find) => find(creative));

const found = (detail: string, pointer = '/content'): readonly Fault[] => [{ pointer, detail }];
const factsIn = ({ files, markup }: CheckedCreative): readonly AdFacts[] => [
  ...files.flatMap(({ ad }) => ad ?? []),
  ...(markup ? [markup.facts] : []),
];

/** Of a picture in several sizes a browser loads one. */
const weight = ({ content, files, markup }: CheckedCreative): readonly Fault[] => {
  if (isVideo(content)) return [];
  const sizes = files.map(({ bytes }) => bytes);
  const ofFiles = content.format === 'banner' ? Math.max(0, ...sizes) : sizes.reduce((all, bytes) => all + bytes, 0);
  const bytes = ofFiles + (markup?.bytes ?? 0);
  return bytes > MAX_LIGHT_BYTES
    ? found(
        `weighs ${sizeInWords(bytes)}, and platforms take ${sizeInWords(MAX_LIGHT_BYTES)}: compress its pictures as WebP or AVIF, and leave out what it does not use`,
      )
    : [];
};

const movement = (creative: CheckedCreative): readonly Fault[] => {
  if (isVideo(creative.content)) return [];
  const moves = longest([...creative.files.map((file) => file.movement), ...factsIn(creative).map((facts) => facts.movement)]);
  if (moves === 'endless')
    return found('moves without end, and platforms allow 30 seconds: let it play a number of times, and stand still then');
  return moves > MAX_MOVEMENT_MS
    ? found(`moves for ${Math.round(moves / 1000)} seconds, and platforms allow 30: shorten it, or let it play fewer times`)
    : [];
};

const click = ({ content, clickUrl, files }: CheckedCreative): readonly Fault[] => {
  const html5 = files.flatMap(({ ad }) => ad ?? []);
  // A tag of another server brings its links with it.
  if (html5.length > 0 && !html5.some(({ hasClick }) => hasClick))
    return found('does not open clickTag: let a click open window.clickTag, so that it is counted and leads to the click address');
  return content.format === 'banner' && clickUrl === null
    ? found('has no click address, so that a click leads nowhere: enter one', '/click_url')
    : [];
};

const loads = (creative: CheckedCreative): readonly Fault[] => {
  const named = [...addressesIn(creative.content), ...factsIn(creative).flatMap(({ insecure }) => insecure)].filter((url) =>
    /^http:/i.test(url),
  );
  const [first, ...others] = new Set(named);
  const leads = creative.clickUrl !== null && /^http:/i.test(creative.clickUrl);
  return [
    ...(first === undefined
      ? []
      : found(`loads ${first}${others.length > 0 ? ` and ${others.length} more` : ''} without encryption, which pages refuse: use https`)),
    ...(leads ? found('leads to an address without encryption, of which browsers warn: use https', '/click_url') : []),
  ];
};

const addressesIn = (content: CreativeContent): readonly string[] => {
  switch (content.format) {
    case 'html':
      return [];
    case 'banner':
      return [content.banner.image, ...content.banner.images.map(({ url }) => url)];
    case 'native':
      return Object.entries(content.assets).flatMap(([name, value]) => (name === 'click' ? [] : textsIn(value)));
    case 'video':
    case 'audio':
      return content.video.media.map(({ url }) => url);
  }
};

/** Addresses in a native asset, and in its members. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

const sound = (creative: CheckedCreative): readonly Fault[] =>
  factsIn(creative).some(({ hasSound }) => hasSound)
    ? found('may play a sound by itself, which platforms refuse: begin muted, and play sound after a click only')
    : [];

const contrast = (creative: CheckedCreative): readonly Fault[] => {
  const [weakest] = factsIn(creative)
    .flatMap((facts) => facts.contrast)
    .toSorted((a, b) => a.ratio - b.ratio);
  return weakest
    ? found(
        `has text of ${weakest.colours}, a contrast of ${weakest.ratio}: at least ${MIN_CONTRAST} is readable, so darken one and lighten the other`,
      )
    : [];
};
