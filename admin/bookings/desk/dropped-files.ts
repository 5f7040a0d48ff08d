import type { AssetWire } from '../../../src/assets/asset-api.ts';
import { MAX_UPLOAD_BYTES, MAX_UPLOAD_WORDS, sizeInWords } from '../../../src/catalog/model/asset-rules.ts';
import type { Page } from '../../page.ts';
import type { PlacementWire } from '../../api/wire.ts';
import { html5Markup, withPicture } from '../../parts/fields/content-assets.ts';
import { assetFacts, assetPath, isHtml5, type Size } from '../../words/asset-words.ts';
import { t } from '../../words/texts.ts';
import { listOf, textOf } from '../forms/typed-text.ts';
import type { BookingDesk } from './booking-desk.ts';
import { newKey, type CreativePart, type ItemPart } from './booking-draft.ts';

/** A file that is not part of the booking, yet or at all. */
export interface DroppedFile {
  readonly name: string;
  /** undefined: it is being stored. */
  readonly reason?: string;
}

/** Of pictures for screens of a higher density. */
const DENSITIES = [1, 2, 3, 4];

export const createDroppedFiles = (page: Page, desk: BookingDesk) => {
  let files: readonly DroppedFile[] = [];
  const without = (name: string): readonly DroppedFile[] => files.filter((one) => one.name !== name);
  const show = (next: readonly DroppedFile[]): void => {
    files = next;
    page.redraw();
  };

  const takeOne = async (file: File, to: string | undefined): Promise<void> => {
    const { name } = file;
    show([...without(name), { name }]);
    const refuse = (reason: string): void => show([...without(name), { name, reason }]);
    if (file.size > MAX_UPLOAD_BYTES) return refuse(t`has ${sizeInWords(file.size)}; at most ${MAX_UPLOAD_WORDS} are accepted.`);
    const publisher = textOf(desk.form.read('/campaign/fields/publisher_id'));
    const answer = await page.api.send('PUT', '/assets', { name, ...(publisher !== '' && { publisher_id: publisher }), body: file });
    if (!answer.ok) return refuse(answer.problem.detail.replace(/^The file /, ''));
    show(without(name));
    place(answer.value, name, to);
  };

  const place = (asset: AssetWire, name: string, to: string | undefined): void => {
    const items = desk.draft().line_items;
    const matches = items.map((item) => ({ item, size: matchOf(asset, placementsOf(page, item)) }));
    const chosen = matches.find(({ item }) => item.key === to) ?? matches.find(({ size }) => size !== undefined) ?? matches[0];
    if (chosen) desk.changeCreatives(chosen.item.key, (all) => [...all, creativeOf(asset, name, chosen.size)]);
  };

  return {
    /** Those that are being stored, and those that were refused. */
    list: () => files,
    dismiss: (name: string) => show(without(name)),
    /** Stores files, and adds each to the line item whose placements have its size. @param to that of the files, where one is meant */
    // One after the other, so that ten files have the order in which they were dropped.
    take: async (dropped: Iterable<File>, to?: string): Promise<void> => {
      for (const file of dropped) await takeOne(file, to);
    },
  };
};

export type DroppedFiles = ReturnType<typeof createDroppedFiles>;

/** The placements that a line item names, as far as the page knows them. */
export const placementsOf = ({ store }: Page, { fields }: ItemPart): readonly PlacementWire[] =>
  listOf(fields['placement_ids']).flatMap((id) => store.find('placements', id) ?? []);

/** The size of a placement that a file has, or has at a higher density. */
const matchOf = ({ width, height }: AssetWire, placements: readonly Size[]): Size | undefined =>
  DENSITIES.flatMap((density) => placements.filter((place) => place.width * density === width && place.height * density === height))[0];

const creativeOf = (asset: AssetWire, name: string, match: Size | undefined): CreativePart => {
  const path = assetPath(asset);
  const { width, height } = match ?? asset;
  const content = isHtml5(asset)
    ? html5Markup(path, asset)
    : withPicture('', { url: path, width: asset.width, height: asset.height }, 'main');
  return {
    key: newKey(),
    fields: {
      ...{ name: name.replace(/\.[^.]*$/, '').slice(0, 256), format: isHtml5(asset) ? 'html' : 'banner', content },
      ...{ width, height, status: 'approved' },
    },
    note: assetFacts(asset),
  };
};
