import type { Creative, VideoContent } from '../../catalog/model/entities.ts';
import type { VideoEvent } from '../../catalog/model/video-events.ts';
import { absoluteAddress, type Addresses } from '../absolute-address.ts';
import { adVerifications, iconElements, interactiveFile, mediaElement, mezzanine, universalAdId } from './ad-elements.ts';
import { companions } from './companion-elements.ts';
import { extensions } from './extensions.ts';
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
export const composePod = (version: VastVersion, ads: readonly string[]): string => `${headOf(version)}>${ads.join('')}</VAST>`;

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
export const composeNoAd = (version: VastVersion, error: string | undefined): string => {
  const { elements } = VAST_RULES[version];
  const [said] = elements['VAST']?.children?.includes('Error') ? element('Error', error) : [];
  return said ? `${headOf(version)}>${writeXml(said, elements)}</VAST>` : `${headOf(version)}/>`;
};

/** The beginning of a document, whose first element is not closed yet. */
const headOf = (version: VastVersion): string => {
  const { namespace } = VAST_RULES[version];
  return `<?xml version="1.0" encoding="UTF-8"?><VAST${namespace === undefined ? '' : ` xmlns="${namespace}"`} version="${version}"`;
};

const adElement = (version: VastVersion, ad: VastAd, addresses: Addresses): XmlElement => {
  const { creativeId, sequence, format, video } = ad;
  const content = video.tag === null ? inLine(version, ad, addresses) : wrapper(version, ad, video.tag, addresses);
  return { name: 'Ad', content, attributes: { id: creativeId, sequence, adType: format } };
};

const inLine = (version: VastVersion, ad: VastAd, addresses: Addresses): readonly XmlElement[] =>
  element('InLine', [
    ...shared(version, ad, addresses),
    ...element('AdServingId', ad.servingId),
    ...element('AdTitle', ad.advertiser ?? `Creative ${ad.creativeId}`),
    ...element('Advertiser', ad.advertiser ?? undefined),
    ...element('Creatives', [
      ...element(
        'Creative',
        [
          ...element('Linear', linear(version, ad, addresses), {
            skipoffset: ad.video.skipAfterMs === null ? undefined : clockTime(ad.video.skipAfterMs),
          }),
          ...universalAdId(ad.video),
        ],
        {
          id: ad.creativeId,
          sequence: 1,
        },
      ),
      ...companions(ad, universalAdId(ad.video), addresses),
    ]),
  ]);

const wrapper = (version: VastVersion, ad: VastAd, tag: string, addresses: Addresses): readonly XmlElement[] =>
  element(
    'Wrapper',
    [
      ...shared(version, ad, addresses),
      ...element('VASTAdTagURI', tag),
      ...element('Creatives', [
        ...element(
          'Creative',
          element('Linear', [...tracking(version, ad), ...element('VideoClicks', clickTrackers(ad, [ad.links.click]))]),
          { id: ad.creativeId },
        ),
        ...companions(ad, [], addresses),
      ]),
    ],
    { followAdditionalWrappers: true, allowMultipleAds: false, fallbackOnNoAd: false },
  );

/** What an ad has with its media, and around another server's tag. */
const shared = (version: VastVersion, ad: VastAd, addresses: Addresses): readonly XmlElement[] => {
  const { links, video } = ad;
  return [
    ...element('AdSystem', 'Ad server'),
    ...[links.error, ...(video.trackers['error'] ?? [])].slice(0, VAST_RULES[version].maxErrors).flatMap((url) => element('Error', url)),
    ...[links.impression, ...(video.trackers['impression'] ?? [])].flatMap((url) => element('Impression', url)),
    ...element('ViewableImpression', element('Viewable', links.event('viewable'))),
    ...adVerifications(video),
    ...extensions(version, ad, addresses),
  ];
};

const linear = (version: VastVersion, ad: VastAd, addresses: Addresses): readonly XmlElement[] => {
  const { video, clickUrl, links } = ad;
  return [
    ...(video.icons.length === 0 ? [] : element('Icons', iconElements(video, addresses))),
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
      ...mezzanine(video, addresses),
      ...interactiveFile(video, addresses),
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

/** HH:MM:SS.mmm */
const clockTime = (ms: number): string => new Date(ms).toISOString().slice(11, 23);
