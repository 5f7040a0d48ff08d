import type { Form } from '../../bookings/forms/form.ts';
import { assetsOf, withAsset } from './content-assets.ts';

interface Image {
  readonly url?: unknown;
}
const isImage = (asset: unknown): asset is Image => typeof asset === 'object' && asset !== null;

/** The form of the assets: each pointer names one. The faults of the content show at `faultsAt`. */
export const assetsForm = (form: Form, faultsAt?: string): Form => {
  const assetAt = (pointer: string): unknown => assetsOf(form.read('/content'))?.[pointer.slice(1)];
  return {
    ...form,
    // An image may be an object with its size; the field edits its address.
    read: (pointer) => {
      const asset = assetAt(pointer);
      return isImage(asset) ? asset.url : asset;
    },
    write: (pointer, typed) => {
      const asset = assetAt(pointer);
      form.write('/content', withAsset(form.read('/content'), pointer.slice(1), isImage(asset) ? { ...asset, url: typed } : typed));
    },
    faultsAt: (pointer) => (pointer === faultsAt ? form.faultsAt('/content') : []),
  };
};
