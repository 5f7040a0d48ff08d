import type { PagePicture } from '../catalog/entities/page-pictures.ts';
import type { PageDevice, PageScheme, PlaceOnPicture } from '../catalog/model/page-views.ts';

/** A placement as far as previews are drawn on its page. */
export interface PicturedPlacement {
  /** CSS pixels. */
  readonly width: number;
  readonly page_pictures: readonly PagePicture[];
}

/** Where the ads of a placement are on the picture of its page for a device, in these colours or in the others. undefined: there is no picture. */
export const placeOnPage = (
  { width, page_pictures: pictures }: PicturedPlacement,
  device: PageDevice,
  scheme: PageScheme,
): PlaceOnPicture | undefined => {
  const ofDevice = pictures.filter((one) => one.device === device);
  const found = ofDevice.find((one) => one.scheme === scheme) ?? ofDevice[0];
  return found && { picture: found.picture, left: found.left, top: found.top, scale: found.width / width };
};
