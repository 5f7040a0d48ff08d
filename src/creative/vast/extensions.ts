import type { VastVersion } from '../../catalog/model/video-rules.ts';
import type { Addresses } from '../absolute-address.ts';
import { adVerifications, iconElements, interactiveFile, mezzanine, universalAdId } from './ad-elements.ts';
import type { VastAd } from './vast-ad.ts';
import { VAST_RULES } from './vast-rules.ts';
import { element, type XmlElement } from './xml.ts';

/**
 * What a version lacks and the VAST CTV Addendum of 2024 and the Open Measurement SDK have as extensions of it. All are those of
 * the ad: the draft of the schema of VAST 3.0 has none of a creative.
 */
export const extensions = (version: VastVersion, { video }: VastAd, addresses: Addresses): readonly XmlElement[] => {
  const { extended } = VAST_RULES[version];
  const parts = [
    ...adVerifications(video),
    // The id of a wrapped ad is in its own document.
    ...(video.tag === null ? universalAdId(video) : []),
    ...mezzanine(video, addresses),
    ...interactiveFile(video, addresses),
    ...iconElements(video, addresses),
  ].filter(({ name }) => extended.includes(name));
  return parts.length === 0
    ? []
    : element(
        'Extensions',
        parts.flatMap((part) => element('Extension', [part], { type: part.name })),
      );
};
