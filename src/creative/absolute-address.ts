import { ASSET_FOLDER, ASSET_PATH } from '../catalog/model/asset-rules.ts';
import type { Settings } from '../config/settings.ts';

/**
 * Where the paths in creatives lead, without a trailing slash; '': unknown, and the path stays.
 */
export interface Addresses {
  /** This service. */
  readonly service: string;
  /** What serves uploaded pictures: a CDN, or this service. */
  readonly pictures: string;
  /** What serves uploaded HTML5 ads: the creative origin, a CDN, or this service. */
  readonly html5: string;
}

/** For creatives whose addresses do not matter. */
export const NO_ADDRESSES: Addresses = { service: '', pictures: '', html5: '' };

/** The settings that addresses depend on; each '' when it is not set. */
export type AddressSettings = Pick<Settings, 'publicUrl' | 'assetsUrl' | 'creativeOrigin'>;

export const addressesOf = ({ publicUrl, assetsUrl, creativeOrigin }: AddressSettings): Addresses => ({
  service: publicUrl,
  pictures: assetsUrl || publicUrl,
  html5: creativeOrigin || assetsUrl || publicUrl,
});

/** In markup: after a quote, a bracket, a comma, an equals sign or white space. */
const ASSETS_IN_MARKUP = /(?<=["'(=,\s])\/static\/assets\/[0-9a-f]{64}[./]/g;

/** A path of this service, without white space: not a text such as "/ month". */
const PATH = /^\/(?![/\\])\S*$/;

/** Names of native assets that are texts, also when they begin with a slash. */
const TEXT = /(title|description|brand|sponsored|offer|text|name|label|headline|body|alt|caption|cta|price)$/i;

/** The address of a path on this service, or of an uploaded file; any other address as it is. */
export const absoluteAddress = (address: string, { service, pictures, html5 }: Addresses): string => {
  if (!PATH.test(address)) return address;
  const [, , mark] = ASSET_PATH.exec(address) ?? [];
  return (mark === undefined ? service : mark === '/' ? html5 : pictures) + address;
};

/** Native assets as JSON text, their addresses absolute at any depth. */
export const absoluteAssets = (assets: object, addresses: Addresses): string =>
  JSON.stringify(assets, (key, value: unknown) =>
    typeof value === 'string' && !TEXT.test(key) ? absoluteAddress(value, addresses) : value,
  );

/** Markup with the addresses of uploaded files absolute; the rest of it stays as the advertiser wrote it. */
export const absoluteMarkup = (markup: string, addresses: Addresses): string =>
  markup.includes(ASSET_FOLDER) ? markup.replace(ASSETS_IN_MARKUP, (path) => absoluteAddress(path, addresses)) : markup;
