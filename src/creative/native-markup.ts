import { isSafeUrl } from '../catalog/model/is-safe-url.ts';
import { absoluteAddress, NO_ADDRESSES, type Addresses } from './absolute-address.ts';

/** The assets that an OpenRTB Native 1.2 request asks for. */
export interface NativeRequest {
  readonly assets: readonly AskedAsset[];
}

export interface AskedAsset {
  readonly id: number;
  readonly required: boolean;
  readonly kind: AssetKind;
}

/** `data`: one of the texts of OpenRTB Native 1.2, section 7.4; `unknown`: a kind that creatives do not have, such as video. */
export type AssetKind = { readonly is: 'title' | 'image' | 'icon' | 'unknown' } | { readonly is: 'data'; readonly type: number };

/** The response of OpenRTB Native 1.2, without the trackers of an impression: the notice of billing counts it. */
export interface NativeMarkup {
  readonly ver: '1.2';
  readonly assets: readonly object[];
  readonly link: { readonly url: string; readonly clicktrackers?: readonly string[] };
  readonly eventtrackers?: readonly object[];
}

export interface NativeLinks {
  /** For the paths in assets. */
  readonly addresses: Addresses;
  /** Counts a click, and redirects when the creative has a `click_url`. */
  readonly click: string;
}

type Assets = Readonly<Record<string, unknown>>;

/** The names under which creatives have the data assets, by OpenRTB's type. */
const DATA_NAMES: Readonly<Record<number, readonly string[]>> = {
  1: ['sponsored', 'brand'],
  2: ['description'],
  3: ['rating'],
  4: ['likes'],
  5: ['downloads'],
  6: ['price'],
  7: ['saleprice'],
  8: ['phone'],
  9: ['address'],
  10: ['description2'],
  11: ['displayurl'],
  12: ['cta'],
};

/** What a request without assets is answered by. */
const ALL: readonly AskedAsset[] = [
  { id: 1, required: false, kind: { is: 'title' } },
  { id: 2, required: false, kind: { is: 'image' } },
  { id: 3, required: false, kind: { is: 'icon' } },
  { id: 4, required: false, kind: { is: 'data', type: 1 } },
  { id: 5, required: false, kind: { is: 'data', type: 2 } },
  { id: 6, required: false, kind: { is: 'data', type: 12 } },
];

const NO_LINKS: NativeLinks = { addresses: NO_ADDRESSES, click: '' };

/**
 * The assets of a creative, or of a bid, as an OpenRTB Native 1.2 response. undefined: an asset that
 * the request requires is missing, or there is no destination.
 *
 * @param clickUrl the destination that is stored with the creative; else its asset `click` is one
 */
export const composeNative = (
  assets: Assets,
  clickUrl: string | null,
  request: NativeRequest | undefined,
  { addresses, click }: NativeLinks = NO_LINKS,
): NativeMarkup | undefined => {
  const destination = clickUrl ?? addressOf(assets['click'], addresses);
  if (destination === undefined) return undefined;
  const answered: object[] = [];
  for (const asked of request?.assets ?? ALL) {
    const value = valueOf(asked.kind, assets, addresses);
    if (value) answered.push({ id: asked.id, ...value });
    else if (asked.required) return undefined;
  }
  const trackers = textsOf(assets['click_trackers']);
  const seen = textsOf(assets['impression_trackers']);
  return {
    ver: '1.2',
    assets: answered,
    // A redirect counts also where the page's script sends no click trackers.
    link:
      clickUrl === null
        ? { url: destination, clicktrackers: [click, ...trackers] }
        : { url: click, ...(trackers.length > 0 && { clicktrackers: trackers }) },
    ...(seen.length > 0 && { eventtrackers: seen.map((url) => ({ event: 1, method: 1, url })) }),
  };
};

const valueOf = (kind: AssetKind, assets: Assets, addresses: Addresses): object | undefined => {
  switch (kind.is) {
    case 'title': {
      const text = textOf(assets['title']);
      return text === undefined ? undefined : { title: { text } };
    }
    case 'image':
      return imageOf(assets['image'], addresses);
    case 'icon':
      return imageOf(assets['icon'] ?? assets['logo'], addresses);
    case 'data': {
      const value = (DATA_NAMES[kind.type] ?? []).map((name) => textOf(assets[name])).find((text) => text !== undefined);
      return value === undefined ? undefined : { data: { value } };
    }
    case 'unknown':
      return undefined;
  }
};

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** An image is an address, or an object with one. */
const imageOf = (value: unknown, addresses: Addresses): object | undefined => {
  const { url, w, h } = (typeof value === 'object' && value !== null ? value : { url: value }) as Assets;
  const address = addressOf(url, addresses);
  if (address === undefined) return undefined;
  return { img: { url: address, ...(typeof w === 'number' && { w }), ...(typeof h === 'number' && { h }) } };
};

const addressOf = (value: unknown, addresses: Addresses): string | undefined =>
  typeof value === 'string' && isSafeUrl(value) ? absoluteAddress(value, addresses) : undefined;
