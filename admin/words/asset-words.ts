import { ASSET_FOLDER, ASSET_PATH, sizeInWords } from '../../src/catalog/model/asset-rules.ts';
import { typeOfEnd } from '../../src/catalog/model/types-of-ends.ts';
import { MAX_LIGHT_BYTES } from '../../src/creative/checks/creative-findings.ts';
import type { AssetWire } from '../../src/assets/asset-api.ts';
import type { PlacementWire } from '../api/wire.ts';
import { textOf } from '../bookings/forms/typed-text.ts';
import { locale } from './language.ts';
import { t } from './texts.ts';

/** The path that creatives name: the service makes it absolute when it serves the ad. */
export const assetPath = ({ url }: Pick<AssetWire, 'url'>): string => url.slice(url.indexOf(ASSET_FOLDER));

export const isHtml5 = ({ type }: Pick<AssetWire, 'type'>): boolean => type === 'text/html';

/** `300 × 250, 41 KB`; of a video also its length, bitrate and codec. */
export const assetFacts = ({ width, height, bytes, duration_ms, bitrate_kbps, codec }: AssetWire): string =>
  factsOf([
    width !== null && height !== null ? `${width} × ${height}` : '',
    duration_ms === null ? '' : t`${(duration_ms / 1000).toLocaleString(locale, { maximumFractionDigits: 1 })} s`,
    bitrate_kbps === null ? '' : `${bitrate_kbps.toLocaleString(locale)} kbit/s`,
    codec ?? '',
    sizeInWords(bytes),
  ]);

/** The same of a file in the content of a creative. */
export const mediaFacts = ({ type, width, height, bitrate, codec, bytes }: Readonly<Record<string, unknown>>): string =>
  factsOf([
    textOf(type),
    typeof width === 'number' && typeof height === 'number' ? `${width} × ${height}` : '',
    typeof bitrate === 'number' ? `${bitrate.toLocaleString(locale)} kbit/s` : '',
    textOf(codec),
    typeof bytes === 'number' ? sizeInWords(bytes) : '',
  ]);

const factsOf = (facts: readonly string[]): string => facts.filter((fact) => fact !== '').join(', ');

/** What a person should know before the file is shown on these placements. */
export const assetNotes = (asset: AssetWire, placements: readonly PlacementWire[]): readonly string[] => {
  const { width, height, bytes } = asset;
  if (!isHtml5(asset) && !asset.type.startsWith('image/')) return [];
  const heavy =
    bytes > MAX_LIGHT_BYTES ? [t`${sizeInWords(bytes)} is heavy: more than ${sizeInWords(MAX_LIGHT_BYTES)} load late on phones.`] : [];
  if (width === null || height === null) return [t`The ad does not state its size (meta ad.size): enter width and height below.`, ...heavy];
  return [...placements.flatMap((placement) => sizeNote(isHtml5(asset), width, height, placement)), ...heavy];
};

const sizeNote = (isFixed: boolean, width: number, height: number, placement: PlacementWire): readonly string[] => {
  const to = placed(placement);
  if (width === placement.width && height === placement.height) return [t`Fits ${to}.`];
  if (isFixed) return [t`The ad is made for ${width} × ${height}, which is not the size of ${to}.`];
  const density = width / placement.width;
  if (!isProportional({ width, height }, placement))
    return [t`Its proportions are not those of ${to}: a part of the placement stays empty, or of the picture hidden.`];
  return density < 1
    ? [t`Smaller than ${to}: it will look blurred.`]
    : [t`Fits ${to}, sharp on ${Math.floor(density * 10) / 10}× screens.`];
};

/** `article-top (300 × 250)`. */
const placed = ({ id, width, height }: PlacementWire): string => `${id} (${width} × ${height})`;

/** What a creative's own size means for its placements: nothing where it fills them, or has none. */
export const sizeNotes = (width: number | null, height: number | null, placements: readonly PlacementWire[]): readonly string[] =>
  placements.flatMap((placement) => {
    const [wide, high] = [width ?? placement.width, height ?? placement.height];
    if (wide > placement.width || high > placement.height)
      return [t`Larger than ${placed(placement)}: not shown there, unless a page asks for a larger size.`];
    return wide === placement.width && high === placement.height ? [] : [t`Smaller than ${placed(placement)}: a part of it stays empty.`];
  });

/** What the sizes of a banner's pictures mean for its placements. */
export const pictureNotes = (pictures: readonly unknown[], placements: readonly PlacementWire[]): readonly string[] => {
  const sized = pictures.flatMap((picture) => {
    const { width, height } = (picture ?? {}) as Readonly<Record<string, unknown>>;
    return typeof width === 'number' && typeof height === 'number' ? [{ width, height }] : [];
  });
  return placements
    .filter((placement) => sized.length > 0 && !sized.some((size) => isProportional(size, placement)))
    .map((placement) => t`No picture has the proportions of ${placed(placement)}.`);
};

/** Within 5 %, as where the service chooses among the pictures of a banner. */
const isProportional = (one: Size, other: Size): boolean => Math.abs((one.width * other.height) / (one.height * other.width) - 1) <= 0.05;

/** In pixels. */
export type Size = Pick<PlacementWire, 'width' | 'height'>;

/** The picture to show for a creative's content: one that this service has, of a video its poster. undefined: none. */
export const pictureIn = (content: string): string | undefined =>
  content.match(/\/static\/assets\/[0-9a-f]{64}\.[a-z0-9]+/g)?.find((path) => typeOfEnd(path)?.startsWith('image/'));

/** Whether content shows an HTML5 ad that this service has. */
export const hasHtml5 = (content: string): boolean => {
  const at = content.indexOf(ASSET_FOLDER);
  return at >= 0 && ASSET_PATH.exec(content.slice(at))?.[2] === '/';
};
