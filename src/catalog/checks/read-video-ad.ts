import type { Fault } from '../../base/fault.ts';
import {
  AUDIO_TYPES,
  isManifest,
  RENDERINGS,
  typeOfAddress,
  VIDEO_TYPES,
  type CaptionFile,
  type Companion,
  type CompanionResource,
  type Icon,
  type MediaFile,
  type Verification,
  type VideoAd,
} from '../model/video-ad.ts';
import { VIDEO_EVENTS } from '../model/video-events.ts';
import { JsonReader, type Json } from './json-reader.ts';
import { isPrivateAddress } from './private-address.ts';

type Format = 'video' | 'audio';

export const MAX_MEDIA_FILES = 12;
const MAX_OTHERS = 12;
const MAX_TRACKERS = 10;
const MAX_TEXT_LENGTH = 256;
const MAX_PARAMETERS_LENGTH = 4_096;
const MAX_MARKUP_LENGTH = 64 * 1024;

const FIELDS = [
  ...['duration', 'media', 'mezzanine', 'captions', 'poster', 'skip_after', 'companions', 'icons', 'verifications'],
  ...['universal_ad_id', 'interactive', 'trackers', 'tag'],
];
/** What the tag of another server brings itself. */
const NOT_WITH_TAG = ['duration', 'media', 'mezzanine', 'captions', 'poster', 'skip_after', 'icons', 'universal_ad_id', 'interactive'];
const TRACKED: ReadonlySet<string> = new Set(['impression', 'click', 'error', ...VIDEO_EVENTS]);

/**
 * Reads the JSON content of a `video` or `audio` creative, documented in docs/video.md; `{}` is that of a bidder, who supplies
 * the ad. Returns the first fault, and never throws.
 */
export const readVideoAd = (format: Format, content: Json): { readonly video: VideoAd } | { readonly fault: Fault } => {
  const faults: Fault[] = [];
  const read = new JsonReader((pointer, detail) => void faults.push({ pointer, detail }));
  const video = videoOf(read, format, content);
  const [fault] = faults;
  return fault === undefined ? { video } : { fault };
};

const videoOf = (read: JsonReader, format: Format, content: Json): VideoAd => {
  read.known('', content, FIELDS);
  const tag = read.addressOrNull('/tag', content['tag'], 'absolute');
  if (tag !== null && isPrivateAddress(tag)) read.refuse('/tag', PRIVATE);
  const media = read.list('/media', content['media'], MAX_MEDIA_FILES, (at, value) => mediaOf(read, format, at, value));
  const isBidders = Object.keys(content).length === 0;
  if (tag === null && media.length === 0 && !isBidders) read.refuse('/media', 'must have a file, unless a tag of another server is given');
  if (tag !== null)
    for (const field of NOT_WITH_TAG)
      if ((content[field] ?? null) !== null) read.refuse(`/${field}`, 'is what the tag of the other server says: leave it out');
  const durationMs = read.secondsOrNull('/duration', content['duration']);
  if (tag === null && durationMs === null && !isBidders)
    read.refuse('/duration', 'is required, in seconds, where no uploaded file says it');
  const skipAfterMs = read.secondsOrNull('/skip_after', content['skip_after'], 0);
  if (skipAfterMs !== null && durationMs !== null && skipAfterMs >= durationMs)
    read.refuse('/skip_after', 'must be less than the duration');
  const mezzanine = content['mezzanine'] ?? null;
  return {
    durationMs,
    media,
    mezzanine: mezzanine === null ? null : mediaOf(read, format, '/mezzanine', mezzanine),
    captions: read.list('/captions', content['captions'], MAX_OTHERS, (at, value) => captionOf(read, at, value)),
    poster: read.addressOrNull('/poster', content['poster']),
    skipAfterMs,
    companions: read.list('/companions', content['companions'], MAX_OTHERS, (at, value) => companionOf(read, at, value)),
    icons: read.list('/icons', content['icons'], MAX_OTHERS, (at, value) => iconOf(read, at, value)),
    verifications: read.list('/verifications', content['verifications'], MAX_OTHERS, (at, value) => verificationOf(read, at, value)),
    universalAdId: (content['universal_ad_id'] ?? null) === null ? null : universalAdIdOf(read, content['universal_ad_id']),
    interactive: interactiveOf(read, content['interactive']),
    trackers: trackersOf(read, content['trackers']),
    tag,
  };
};

const PRIVATE = 'is an address of a private network, which players of visitors do not reach';

const mediaOf = (read: JsonReader, format: Format, at: string, value: unknown): MediaFile => {
  const file = read.object(at, value);
  read.known(at, file, ['url', 'type', 'width', 'height', 'bitrate', 'codec', 'bytes']);
  const types: readonly string[] = format === 'video' ? VIDEO_TYPES : AUDIO_TYPES;
  const type = types.find((one) => one.toLowerCase() === String(file['type']).toLowerCase()) ?? '';
  if (type === '') read.refuse(`${at}/type`, `must be one of ${types.join(', ')}`);
  const isSeen = format === 'video';
  const url = read.address(`${at}/url`, file['url']);
  if (isPrivateAddress(url)) read.refuse(`${at}/url`, PRIVATE);
  return {
    url,
    type,
    width: isSeen ? read.pixels(`${at}/width`, file['width']) : 0,
    height: isSeen ? read.pixels(`${at}/height`, file['height']) : 0,
    bitrateKbps: read.countOrNull(`${at}/bitrate`, file['bitrate']),
    codec: isManifest(type) ? null : read.textOrNull(`${at}/codec`, file['codec'], MAX_TEXT_LENGTH),
    bytes: read.countOrNull(`${at}/bytes`, file['bytes']),
  };
};

/** Since VAST 4.3 the document itself may be in its address. */
const interactiveOf = (read: JsonReader, value: unknown): string | null =>
  typeof value === 'string' && /^data:text\/html[;,]/i.test(value)
    ? read.textOrNull('/interactive', value, MAX_MARKUP_LENGTH)
    : read.addressOrNull('/interactive', value);

const captionOf = (read: JsonReader, at: string, value: unknown): CaptionFile => {
  const caption = read.object(at, value);
  read.known(at, caption, ['url', 'type', 'language']);
  const url = read.address(`${at}/url`, caption['url']);
  return {
    url,
    type: read.textOrNull(`${at}/type`, caption['type'], MAX_TEXT_LENGTH) ?? typeOfAddress(url),
    language: read.textOrNull(`${at}/language`, caption['language'], MAX_TEXT_LENGTH),
  };
};

const companionOf = (read: JsonReader, at: string, value: unknown): Companion => {
  const companion = read.object(at, value);
  read.known(at, companion, ['width', 'height', 'image', 'frame', 'html', 'click_url', 'alt', 'rendering']);
  const rendering = RENDERINGS.find((one) => one === (companion['rendering'] ?? 'default'));
  if (rendering === undefined) read.refuse(`${at}/rendering`, `must be one of ${RENDERINGS.join(', ')}`);
  return {
    width: read.pixels(`${at}/width`, companion['width']),
    height: read.pixels(`${at}/height`, companion['height']),
    resource: resourceOf(read, at, companion),
    clickUrl: read.addressOrNull(`${at}/click_url`, companion['click_url'], 'absolute'),
    alt: read.textOrNull(`${at}/alt`, companion['alt'], MAX_TEXT_LENGTH) ?? '',
    rendering: rendering ?? 'default',
  };
};

const resourceOf = (read: JsonReader, at: string, companion: Json): CompanionResource => {
  const given = (['image', 'frame', 'html'] as const).filter((name) => (companion[name] ?? null) !== null);
  const [is = 'image'] = given;
  if (given.length !== 1) read.refuse(at, 'must have one of image, frame and html');
  if (is === 'html') return { is, markup: read.textOrNull(`${at}/html`, companion['html'], MAX_MARKUP_LENGTH) ?? '' };
  const url = read.address(`${at}/${is}`, companion[is]);
  return is === 'frame' ? { is, url } : { is, url, type: typeOfAddress(url) };
};

const iconOf = (read: JsonReader, at: string, value: unknown): Icon => {
  const icon = read.object(at, value);
  read.known(at, icon, ['program', 'width', 'height', 'x', 'y', 'image', 'click_url']);
  const image = read.address(`${at}/image`, icon['image']);
  return {
    program: read.text(`${at}/program`, icon['program'], MAX_TEXT_LENGTH),
    width: read.pixels(`${at}/width`, icon['width']),
    height: read.pixels(`${at}/height`, icon['height']),
    x: read.place(`${at}/x`, icon['x'] ?? 'right', ['left', 'right']),
    y: read.place(`${at}/y`, icon['y'] ?? 'top', ['top', 'bottom']),
    image,
    type: typeOfAddress(image),
    clickUrl: read.addressOrNull(`${at}/click_url`, icon['click_url'], 'absolute'),
  };
};

const verificationOf = (read: JsonReader, at: string, value: unknown): Verification => {
  const verification = read.object(at, value);
  read.known(at, verification, ['vendor', 'script', 'parameters']);
  return {
    vendor: read.text(`${at}/vendor`, verification['vendor'], MAX_TEXT_LENGTH),
    script: read.address(`${at}/script`, verification['script'], 'absolute'),
    parameters: read.textOrNull(`${at}/parameters`, verification['parameters'], MAX_PARAMETERS_LENGTH),
  };
};

const universalAdIdOf = (read: JsonReader, value: unknown): VideoAd['universalAdId'] => {
  const id = read.object('/universal_ad_id', value);
  read.known('/universal_ad_id', id, ['registry', 'id']);
  return {
    registry: read.text('/universal_ad_id/registry', id['registry'], MAX_TEXT_LENGTH),
    id: read.text('/universal_ad_id/id', id['id'], MAX_TEXT_LENGTH),
  };
};

const trackersOf = (read: JsonReader, value: unknown): VideoAd['trackers'] => {
  const trackers = read.object('/trackers', value ?? {});
  read.known('/trackers', trackers, [...TRACKED]);
  return Object.fromEntries(
    Object.entries(trackers)
      .filter(([event]) => TRACKED.has(event))
      .map(([event, urls]) => [event, read.list(`/trackers/${event}`, urls, MAX_TRACKERS, (at, url) => read.address(at, url, 'absolute'))]),
  );
};
