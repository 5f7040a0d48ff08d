import { isObject } from '../../base/narrow.ts';
import { parseJson } from '../../base/parse-json.ts';
import type { AskedAsset, AssetKind, NativeRequest } from '../../creative/native-markup.ts';
import { at, listAt } from './auction-schema.ts';

const MAX_ASSETS = 30;

/** `imp.native.request`: the JSON text of a Native 1.2 request, or the object, with or without its wrapper. */
export const readNativeRequest = (value: unknown): NativeRequest | undefined => {
  // A text that is no JSON asks for nothing in particular.
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  const assets = listAt(at(parsed, 'native') ?? parsed, 'assets');
  return assets.length === 0 ? undefined : { assets: assets.slice(0, MAX_ASSETS).flatMap(assetOf) };
};

const assetOf = (value: unknown): readonly AskedAsset[] => {
  const id = at(value, 'id');
  return Number.isInteger(id) ? [{ id: id as number, required: at(value, 'required') === 1, kind: kindOf(value) }] : [];
};

/** OpenRTB Native 1.2, 7.5: image type 1 is the icon; any other is shown as the main image. */
const kindOf = (asset: unknown): AssetKind => {
  if (isObject(at(asset, 'title'))) return { is: 'title' };
  if (isObject(at(asset, 'img'))) return { is: at(asset, 'img', 'type') === 1 ? 'icon' : 'image' };
  const type = at(asset, 'data', 'type');
  return Number.isInteger(type) ? { is: 'data', type: type as number } : { is: 'unknown' };
};
