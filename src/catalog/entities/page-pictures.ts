import type { Fault } from '../../base/fault.ts';
import { closedRecord, integerOf, listOf, oneOf, textOf, type Shape } from '../../base/schema.ts';
import { PAGE_DEVICES, PAGE_SCHEMES } from '../model/page-views.ts';

const MAX_PIXELS = 8_192;
/** Each device in each scheme. */
const MAX_PICTURES = PAGE_DEVICES.length * PAGE_SCHEMES.length;
const pixel = integerOf({ minimum: 0, maximum: MAX_PIXELS });

/** Of the page that a placement is on. */
export const PAGE_PICTURES = listOf(
  closedRecord({
    device: oneOf(PAGE_DEVICES),
    scheme: oneOf(PAGE_SCHEMES, { description: 'the colours of the page on it' }),
    picture: textOf({
      pattern: '^/static/assets/[0-9a-f]{64}\\.[a-z0-9]{1,8}$',
      description: 'the path of an uploaded picture',
    }),
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
