import * as s from '../base/schema.ts';
import { PAGE_DEVICES, PAGE_SCHEMES } from '../catalog/model/page-views.ts';
import { placeOnPage, type PicturedPlacement } from '../creative/place-on-page.ts';

/** Where an ad is shown behind a link. */
export const PAGES_OF_AD = s.listOf(
  s.record({
    device: s.oneOf(PAGE_DEVICES),
    scheme: s.oneOf(PAGE_SCHEMES),
    picture: s.described(s.text, 'Its path'),
    left: s.described(s.integer, 'Of the ad, in pixels of the picture'),
    top: s.integer,
    scale: s.described(s.number, 'Pixels of the picture for each CSS pixel of the ad'),
  }),
  { description: 'Pictures of a page that it is on, and where; empty: there are none' },
);

/** The pictures of the page of a placement, with the place of its ads. */
export const pagesOfAd = (placement: PicturedPlacement): s.Shape<typeof PAGES_OF_AD> =>
  PAGE_DEVICES.flatMap((device) =>
    PAGE_SCHEMES.flatMap((scheme) => {
      const place = placeOnPage(placement, device, scheme);
      return place ? [{ device, scheme, ...place }] : [];
    }),
  );
