import { isManifest, type Icon, type MediaFile, type VideoAd } from '../../catalog/model/video-ad.ts';
import { absoluteAddress, type Addresses } from '../absolute-address.ts';
import { element, type XmlElement } from './xml.ts';

export const mediaElement = (name: 'MediaFile' | 'Mezzanine', file: MediaFile, addresses: Addresses): readonly XmlElement[] =>
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

export const mezzanine = ({ mezzanine: file }: VideoAd, addresses: Addresses): readonly XmlElement[] =>
  file ? mediaElement('Mezzanine', file, addresses) : [];

export const interactiveFile = ({ interactive }: VideoAd, addresses: Addresses): readonly XmlElement[] =>
  interactive === null
    ? []
    : element('InteractiveCreativeFile', absoluteAddress(interactive, addresses), { type: 'text/html', apiFramework: 'SIMID' });

export const iconElements = ({ icons }: VideoAd, addresses: Addresses): readonly XmlElement[] =>
  icons.flatMap((icon) => iconElement(icon, addresses));

const iconElement = ({ program, width, height, x, y, image, type, clickUrl }: Icon, addresses: Addresses): readonly XmlElement[] =>
  element(
    'Icon',
    [
      ...element('StaticResource', absoluteAddress(image, addresses), { creativeType: type }),
      ...(clickUrl === null ? [] : element('IconClicks', element('IconClickThrough', clickUrl))),
    ],
    { program, width, height, xPosition: x, yPosition: y },
  );

export const adVerifications = ({ verifications }: VideoAd): readonly XmlElement[] =>
  verifications.length === 0
    ? []
    : element(
        'AdVerifications',
        verifications.flatMap(({ vendor, script, parameters }) =>
          element(
            'Verification',
            [
              ...element('JavaScriptResource', script, { apiFramework: 'omid', browserOptional: true }),
              ...element('VerificationParameters', parameters ?? undefined),
            ],
            { vendor },
          ),
        ),
      );

/** 'unknown' is an id that is not registered (VAST 4.2, 3.7.1). */
export const universalAdId = ({ universalAdId: given }: VideoAd): readonly XmlElement[] =>
  element('UniversalAdId', given?.id ?? 'unknown', { idRegistry: given?.registry ?? 'unknown' });
