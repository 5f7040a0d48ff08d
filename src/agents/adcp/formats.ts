import { isObject } from '../../base/narrow.ts';
import type { EntityRecord } from '../../bookings/entity-kind.ts';
import { parseCreativeContent } from '../../catalog/checks/parse-content.ts';
import type { CreativeFormat } from '../../catalog/model/choices.ts';
import { isSafeUrl } from '../../catalog/model/is-safe-url.ts';
import { adcpFault, fieldAt, isFault, type AdcpFault } from './adcp-fault.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A format of creatives that a placement takes. */
export interface AdFormat {
  readonly id: string;
  readonly name: string;
  readonly size: Size | null;
  readonly assets: readonly AdAsset[];
  /** The creative of the catalog that assets make. */
  readonly toFields: (assets: Assets) => EntityRecord;
}

interface AdAsset {
  readonly id: string;
  readonly type: 'image' | 'html' | 'text' | 'url' | 'video' | 'audio' | 'vast';
  readonly required: boolean;
}

type Asset = Readonly<Record<string, unknown>>;
type Assets = Readonly<Record<string, Asset | undefined>>;

const needed = (id: string, type: AdAsset['type']): AdAsset => ({ id, type, required: true });
const CLICK: AdAsset = { id: 'click_url', type: 'url', required: false };
const clickOf = ({ click_url: click }: Assets): EntityRecord => (click ? { click_url: click['url'] } : {});
const json = (content: object): string => JSON.stringify(content);
const textIn = (asset: Asset | undefined) => asset?.['content'];

/** What a placement of this size takes of a format of the catalog. */
export const formatsOf = (format: CreativeFormat, size: Size): readonly AdFormat[] => {
  const { width, height } = size;
  const at = `${width}x${height}`;
  switch (format) {
    case 'banner':
      return [
        {
          ...{ id: `display_${at}`, name: `Picture, ${width} × ${height}`, size, assets: [needed('image', 'image'), CLICK] },
          toFields: (assets) => ({
            ...{ format, ...size, ...clickOf(assets) },
            content: json({ image: assets['image']?.['url'], alt: assets['image']?.['alt_text'] ?? '' }),
          }),
        },
      ];
    case 'html':
      return [
        {
          ...{ id: `display_${at}_html`, name: `HTML, ${width} × ${height}`, size, assets: [needed('html', 'html'), CLICK] },
          toFields: (assets) => ({ ...{ format, ...size, ...clickOf(assets) }, content: textIn(assets['html']) }),
        },
      ];
    case 'native':
      return [
        {
          ...{ id: 'native', name: 'Native', size: null },
          assets: [
            ...[needed('title', 'text'), needed('image', 'image'), needed('click_url', 'url')],
            ...(['description', 'sponsored'] as const).map((id): AdAsset => ({ id, type: 'text', required: false })),
          ],
          toFields: (assets) => {
            const { url, width: w, height: h } = assets['image'] ?? {};
            const texts = {
              title: textIn(assets['title']),
              description: textIn(assets['description']),
              sponsored: textIn(assets['sponsored']),
            };
            return { format, ...clickOf(assets), content: json({ ...texts, image: { url, w, h }, click: assets['click_url']?.['url'] }) };
          },
        },
      ];
    case 'video':
      return [
        {
          ...{ id: 'video_file', name: 'Video, as a file', size: null, assets: [needed('video', 'video'), CLICK] },
          toFields: (assets) => {
            const { url, width: w, height: h, duration_ms: ms, mime_type: type = 'video/mp4' } = assets['video'] ?? {};
            const media = [{ url, type, width: w, height: h }];
            return { format, ...clickOf(assets), content: json({ duration: typeof ms === 'number' ? ms / 1_000 : undefined, media }) };
          },
        },
        {
          ...{ id: 'video_vast', name: 'Video, as a VAST tag', size: null, assets: [needed('vast', 'vast')] },
          toFields: (assets) => ({ format, content: json({ tag: assets['vast']?.['url'] }) }),
        },
      ];
    case 'audio':
      return [
        {
          ...{ id: 'audio_file', name: 'Sound, as a file', size: null, assets: [needed('audio', 'audio'), CLICK] },
          toFields: (assets) => {
            const { url, duration_ms: ms, mime_type: type = 'audio/mpeg' } = assets['audio'] ?? {};
            return {
              ...{ format, ...clickOf(assets) },
              content: json({ duration: typeof ms === 'number' ? ms / 1_000 : undefined, media: [{ url, type }] }),
            };
          },
        },
      ];
  }
};

export const CHANNEL_OF = {
  html: 'display',
  banner: 'display',
  native: 'display',
  video: 'olv',
  audio: 'streaming_audio',
} as const satisfies Readonly<Record<CreativeFormat, string>>;

/** A format, as the protocol lists it. */
export const showFormat = ({ id, name, size, assets }: AdFormat, agentUrl: string) => ({
  format_id: { agent_url: agentUrl, id },
  name,
  ...(size && { renders: [{ role: 'primary', dimensions: { width: size.width, height: size.height } }] }),
  assets: assets.map(({ id: assetId, type, required }) => ({
    ...{ item_type: 'individual', asset_id: assetId, asset_type: type, required },
    ...(type === 'image' && size && { requirements: { width: size.width, height: size.height } }),
  })),
});

/** The creative that assets of a buyer make, or why they make none. */
export const readAssets = (format: AdFormat, given: unknown): EntityRecord | AdcpFault => {
  const assets: Readonly<Record<string, unknown>> = isObject(given) ? given : {};
  for (const { id, type, required } of format.assets) {
    const asset = assets[id];
    const field = `assets.${id}`;
    if (asset === undefined && !required) continue;
    const { asset_type: is = type, url, width, height } = isObject(asset) ? asset : {};
    if (!isObject(asset) || is !== type)
      return adcpFault('CREATIVE_REJECTED', `The format ${format.id} needs the asset ${id}, of the type ${type}.`, { field });
    if (url !== undefined && (typeof url !== 'string' || !isSafeUrl(url)))
      return adcpFault('CREATIVE_REJECTED', `The address of the asset ${id} must be http or https.`, { field: `${field}.url` });
    const isOther =
      type === 'image' && format.size && width !== undefined && (width !== format.size.width || height !== format.size.height);
    if (isOther) return adcpFault('CREATIVE_REJECTED', `The picture must be ${format.size.width} × ${format.size.height}.`, { field });
  }
  const strange = Object.keys(assets).find((id) => !format.assets.some((one) => one.id === id));
  if (strange !== undefined)
    return adcpFault('CREATIVE_REJECTED', `The format ${format.id} has no asset ${strange}.`, { field: `assets.${strange}` });
  const fields = format.toFields(assets as Assets);
  const parsed = parseCreativeContent(fields['format'] as CreativeFormat, (fields['content'] ?? '') as string);
  if ('content' in parsed) return fields;
  return adcpFault('CREATIVE_REJECTED', `The assets do not make an ad: ${fieldAt(parsed.fault.pointer)} ${parsed.fault.detail}`);
};

export const isAd = (read: EntityRecord | AdcpFault): read is EntityRecord => !isFault(read);
