import type { Creative, VideoContent } from '../../catalog/model/entities.ts';
import type { Icon, MediaFile, VideoAd } from '../../catalog/model/video-ad.ts';
import { isManifest } from '../../catalog/model/video-ad.ts';
import type { VideoEvent } from '../../catalog/model/video-events.ts';
import { absoluteAddress, type Addresses } from '../absolute-address.ts';
import { companions } from './companion-elements.ts';
import { vastLinks, type VastAd } from './vast-ad.ts';
import type { VastVersion } from '../../catalog/model/video-rules.ts';
import { VAST_RULES } from './vast-rules.ts';
import { element, writeXml, type XmlElement } from './xml.ts';

/** One showing of a creative, whose reports have this token. */
export interface Showing {
  readonly version: VastVersion;
  /** The address of this service; '': reports go to paths of it. */
  readonly base: string;
  readonly token: string;
  readonly tokenId: string;
}

type VideoCreative = Pick<Creative, 'id' | 'clickUrl' | 'advertiserDomain'>;

/** A document with one ad. */
export const composeVideo = (creative: VideoCreative, content: VideoContent, showing: Showing, addresses: Addresses): string =>
  composePod(showing.version, [composeAd(creative, content, showing, addresses)]);

/** A document with the ads of a break, in their order. */
export const composePod = (version: VastVersion, ads: readonly string[]): string =>
  `${writeDocument(version, []).slice(0, -'/>'.length)}>${ads.join('')}</VAST>`;

/**
 * The element of one ad.
 *
 * @param sequence its place in a pod, from 1; undefined: it is alone
 */
export const composeAd = (
  { id, clickUrl, advertiserDomain }: VideoCreative,
  { format, video }: VideoContent,
  { version, base, token, tokenId }: Showing,
  addresses: Addresses,
  sequence?: number,
): string =>
  writeXml(
    adElement(
      version,
      {
        format,
        video,
        servingId: tokenId,
        creativeId: id,
        clickUrl,
        advertiser: advertiserDomain,
        sequence,
        links: vastLinks(base, token),
      },
      addresses,
    ),
    VAST_RULES[version].elements,
  );

/** What of the playing is counted. Others' trackers may name any event of VAST. */
const COUNTED: readonly VideoEvent[] = [
  ...(['start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete', 'mute', 'unmute', 'pause', 'resume'] as const),
  ...(['skip', 'playerExpand', 'fullscreen', 'notUsed'] as const),
];

/** A document without an ad, and where its player says so (VAST 4.2, 3.2.1; 303: no ad). */
export const composeNoAd = (version: VastVersion, error: string | undefined): string => writeDocument(version, element('Error', error));

const writeDocument = (version: VastVersion, content: readonly XmlElement[]): string => {
  const { elements, namespace } = VAST_RULES[version];
  return `<?xml version="1.0" encoding="UTF-8"?>${writeXml({ name: 'VAST', attributes: { xmlns: namespace, version }, content }, elements)}`;
};

const adElement = (version: VastVersion, ad: VastAd, addresses: Addresses): XmlElement => {
  const { creativeId, sequence, format, video } = ad;
  const content = video.tag === null ? inLine(version, ad, addresses) : wrapper(version, ad, video.tag, addresses);
  return { name: 'Ad', content, attributes: { id: creativeId, sequence, adType: format } };
};

const inLine = (version: VastVersion, ad: VastAd, addresses: Addresses): readonly XmlElement[] =>
  element('InLine', [
    ...shared(version, ad),
    ...element('AdServingId', ad.servingId),
    ...element('AdTitle', ad.advertiser ?? `Creative ${ad.creativeId}`),
    ...element('Advertiser', ad.advertiser ?? undefined),
    ...element('Creatives', [
      ...element('Creative', [...element('Linear', linear(version, ad, addresses), { skipoffset: skipOffset(ad.video) }), ...adId(ad)], {
        ...{ id: ad.creativeId, sequence: 1 },
      }),
      ...companions(ad, adId(ad), addresses),
    ]),
  ]);

const wrapper = (version: VastVersion, ad: VastAd, tag: string, addresses: Addresses): readonly XmlElement[] =>
  element(
    'Wrapper',
    [
      ...shared(version, ad),
      ...element('VASTAdTagURI', tag),
      ...element('Creatives', [
        ...element(
          'Creative',
          element('Linear', [...tracking(version, ad), ...element('VideoClicks', clickTrackers(ad, [ad.links.click]))]),
          {
            id: ad.creativeId,
          },
        ),
        ...companions(ad, [], addresses),
      ]),
    ],
    { followAdditionalWrappers: true, allowMultipleAds: false, fallbackOnNoAd: false },
  );

/** What an ad has with its media, and around another server's tag. */
const shared = (version: VastVersion, { links, video }: VastAd): readonly XmlElement[] => [
  ...element('AdSystem', 'Ad server'),
  ...[links.error, ...(video.trackers['error'] ?? [])].slice(0, VAST_RULES[version].maxErrors).flatMap((url) => element('Error', url)),
  ...[links.impression, ...(video.trackers['impression'] ?? [])].flatMap((url) => element('Impression', url)),
  ...element('ViewableImpression', element('Viewable', links.event('viewable'))),
  ...(video.verifications.length === 0
    ? []
    : element(
        'AdVerifications',
        video.verifications.flatMap(({ vendor, script, parameters }) =>
          element(
            'Verification',
            [
              ...element('JavaScriptResource', script, { apiFramework: 'omid', browserOptional: true }),
              ...element('VerificationParameters', parameters ?? undefined),
            ],
            { vendor },
          ),
        ),
      )),
];

const linear = (version: VastVersion, ad: VastAd, addresses: Addresses): readonly XmlElement[] => {
  const { video, clickUrl, links } = ad;
  return [
    ...(video.icons.length === 0
      ? []
      : element(
          'Icons',
          video.icons.flatMap((icon) => iconElement(icon, addresses)),
        )),
    ...tracking(version, ad),
    ...element('Duration', clockTime(video.durationMs ?? 0)),
    ...element('MediaFiles', [
      ...(video.captions.length === 0
        ? []
        : element(
            'ClosedCaptionFiles',
            video.captions.flatMap(({ url, type, language }) =>
              element('ClosedCaptionFile', absoluteAddress(url, addresses), { type, language: language ?? undefined }),
            ),
          )),
      ...video.media.flatMap((file) => mediaElement('MediaFile', file, addresses)),
      ...(video.mezzanine ? mediaElement('Mezzanine', video.mezzanine, addresses) : []),
      ...(video.interactive === null
        ? []
        : element('InteractiveCreativeFile', absoluteAddress(video.interactive, addresses), { type: 'text/html', apiFramework: 'SIMID' })),
    ]),
    ...element('VideoClicks', [
      // A destination is reached by way of the counter; without one the player only reports the click.
      ...clickTrackers(ad, clickUrl === null ? [links.click] : []),
      ...element('ClickThrough', clickUrl === null ? undefined : links.click),
    ]),
  ];
};

const clickTrackers = ({ video }: VastAd, own: readonly string[]): readonly XmlElement[] =>
  [...own, ...(video.trackers['click'] ?? [])].flatMap((url) => element('ClickTracking', url));

const tracking = (version: VastVersion, { video, links }: VastAd): readonly XmlElement[] => {
  const { events } = VAST_RULES[version];
  return element(
    'TrackingEvents',
    events.flatMap((event) => [
      ...(COUNTED.includes(event) && (event !== 'skip' || video.skipAfterMs !== null) ? trackingElement(event, links.event(event)) : []),
      ...(video.trackers[event] ?? []).flatMap((url) => trackingElement(event, url)),
    ]),
  );
};

const trackingElement = (event: string, url: string): readonly XmlElement[] => element('Tracking', url, { event });

const mediaElement = (name: 'MediaFile' | 'Mezzanine', file: MediaFile, addresses: Addresses): readonly XmlElement[] =>
  element(name, absoluteAddress(file.url, addresses), {
    delivery: isManifest(file.type) ? 'streaming' : 'progressive',
    type: file.type,
    width: file.width,
    height: file.height,
    codec: file.codec ?? undefined,
    bitrate: file.bitrateKbps ?? undefined,
    scalable: true,
    maintainAspectRatio: true,
    fileSize: file.bytes ?? undefined,
  });

const iconElement = ({ program, width, height, x, y, image, type, clickUrl }: Icon, addresses: Addresses): readonly XmlElement[] =>
  element(
    'Icon',
    [
      ...element('StaticResource', absoluteAddress(image, addresses), { creativeType: type }),
      ...(clickUrl === null ? [] : element('IconClicks', element('IconClickThrough', clickUrl))),
    ],
    { program, width, height, xPosition: x, yPosition: y },
  );

/** 'unknown' stands for an id that is not registered (VAST 4.2, 3.7.1). */
const adId = ({ video: { universalAdId } }: VastAd): readonly XmlElement[] =>
  element('UniversalAdId', universalAdId?.id ?? 'unknown', { idRegistry: universalAdId?.registry ?? 'unknown' });

const skipOffset = ({ skipAfterMs }: VideoAd): string | undefined => (skipAfterMs === null ? undefined : clockTime(skipAfterMs));

/** HH:MM:SS.mmm */
const clockTime = (ms: number): string => new Date(ms).toISOString().slice(11, 23);
