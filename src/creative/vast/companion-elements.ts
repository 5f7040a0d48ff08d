import type { Companion } from '../../catalog/model/video-ad.ts';
import { absoluteAddress, absoluteMarkup, type Addresses } from '../absolute-address.ts';
import type { VastAd } from './vast-ad.ts';
import { element, type XmlElement } from './xml.ts';

/** A creative of their own: before VAST 4 an element has a video or companions. */
export const companions = (ad: VastAd, id: readonly XmlElement[], addresses: Addresses): readonly XmlElement[] => {
  const { video, creativeId } = ad;
  if (video.companions.length === 0) return [];
  const all = video.companions.flatMap((companion, i) => companionElement(companion, `${creativeId}-${i + 1}`, ad, addresses));
  return element('Creative', [...element('CompanionAds', all), ...id], { id: creativeId, sequence: 1 });
};

const companionElement = (
  companion: Companion,
  id: string,
  { links, clickUrl: own }: VastAd,
  addresses: Addresses,
): readonly XmlElement[] => {
  const { width, height, resource, clickUrl, alt, rendering } = companion;
  return element(
    'Companion',
    [
      ...resourceElement(resource, addresses),
      ...element('AltText', alt === '' ? undefined : alt),
      ...element('CompanionClickThrough', clickUrl ?? (own === null ? undefined : links.click)),
      // What leads to the destination of the creative is counted on its way.
      ...(clickUrl === null && own !== null ? [] : element('CompanionClickTracking', links.click, { id })),
      ...element('TrackingEvents', element('Tracking', links.event('creativeView'), { event: 'creativeView' })),
    ],
    { id, width, height, renderingMode: rendering },
  );
};

const resourceElement = (resource: Companion['resource'], addresses: Addresses): readonly XmlElement[] => {
  switch (resource.is) {
    case 'image':
      return element('StaticResource', absoluteAddress(resource.url, addresses), { creativeType: resource.type });
    case 'frame':
      return element('IFrameResource', absoluteAddress(resource.url, addresses));
    case 'html':
      return element('HTMLResource', absoluteMarkup(resource.markup, addresses));
  }
};
