import type { Fault } from '../../base/fault.ts';
import { closedRecord, day, integerOf, listOf, oneOf, orNull, textOf, withDefault, type Shape } from '../../base/schema.ts';
import { PAGE_DEVICES, PAGE_SCHEMES } from '../model/page-views.ts';

const MAX_PIXELS = 8_192;
/** Each device in each scheme. */
const MAX_PICTURES = PAGE_DEVICES.length * PAGE_SCHEMES.length;
const pixel = integerOf({ minimum: 0, maximum: MAX_PIXELS });

const UPLOADED_PICTURE = textOf({
  pattern: '^/static/assets/[0-9a-f]{64}\\.[a-z0-9]{1,8}$',
  description: 'the path of an uploaded picture',
});

const MAX_SCREENSHOTS = 24;

/** Of the ads of a campaign, on the pages where readers saw them. */
export const SCREENSHOTS = listOf(
  closedRecord({
    picture: UPLOADED_PICTURE,
    day: orNull(day, { default: null, description: 'when it was taken; null: not known' }),
    caption: withDefault(textOf({ maxLength: 200 }), ''),
  }),
  {
    maxItems: MAX_SCREENSHOTS,
    default: [],
    description: 'pictures of its ads on the pages themselves: the page behind a report link of its advertiser shows them',
  },
);
export type Screenshot = Shape<typeof SCREENSHOTS>[number];

/** Of the page that a placement is on. */
export const PAGE_PICTURES = listOf(
  closedRecord({
    device: oneOf(PAGE_DEVICES),
    scheme: oneOf(PAGE_SCHEMES, { description: 'the colours of the page on it' }),
    picture: UPLOADED_PICTURE,
    left: { ...pixel, description: 'of the ad, in pixels of the picture' },
    top: pixel,
    width: { ...integerOf({ minimum: 1, maximum: MAX_PIXELS }), description: 'that the width of the placement has on the picture' },
  }),
  {
    maxItems: MAX_PICTURES,
    default: [],
    description: 'pictures of the page, with the place of the ad on each: previews of ads are drawn on them',
  },
);
export type PagePicture = Shape<typeof PAGE_PICTURES>[number];

/** One picture for each device and scheme. */
export const placementRules = ({ page_pictures: pictures }: { readonly page_pictures?: unknown }): readonly Fault[] => {
  if (!Array.isArray(pictures)) return [];
  const keys = (pictures as readonly Partial<PagePicture>[]).map(({ device, scheme }) => `${device} ${scheme}`);
  return keys.flatMap((key, i) =>
    keys.indexOf(key) < i ? [{ pointer: `/page_pictures/${i}`, detail: 'is a second picture for the same device and scheme' }] : [],
  );
};
