import { isObject } from '../base/narrow.ts';
import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { Fault } from '../base/fault.ts';
import { onlyVisible } from '../bookings/record-scope.ts';
import type { createCheckRecord } from '../bookings/check-record.ts';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import { CREATIVE_FORMATS, type CreativeFormat } from '../catalog/model/choices.ts';
import { DRAFT_ID, type Draft } from './with-draft.ts';

/** Content that stands for an ad of a format: it is never shown. */
const CONTENTS: Readonly<Record<CreativeFormat, string>> = {
  html: '<b>draft</b>',
  banner: JSON.stringify({ image: 'https://draft.invalid/draft.png', alt: '' }),
  native: '{}',
  // A tag: what it plays is not known, so that it fits each player.
  video: JSON.stringify({ tag: 'https://draft.invalid/vast.xml' }),
  audio: JSON.stringify({ tag: 'https://draft.invalid/vast.xml' }),
};

export type DraftedLineItem =
  { readonly ok: true; readonly draft: Draft; readonly publisherId: number } | { readonly ok: false; readonly faults: readonly Fault[] };

export interface PlacementRow {
  readonly id: string;
  readonly formats: readonly string[];
  readonly publisher_id: number | null;
}

/** Checks a draft as booking does, and returns it with creatives for its placements. Nothing is stored. */
export const draftLineItem = async (
  knex: Knex,
  checkRecord: ReturnType<typeof createCheckRecord>,
  given: { readonly lineItem: unknown; readonly placements: readonly string[] },
  caller: Caller,
): Promise<DraftedLineItem> =>
  knex.transaction(
    async (trx): Promise<DraftedLineItem> => {
      const checked = await checkRecord(trx, ENTITY_KINDS.line_items, activeOf(given.lineItem), caller);
      const rows = (await onlyVisible(trx('placements').whereIn('id', given.placements), 'placements', caller).select(
        '*',
      )) as PlacementRow[];
      const known = new Map(rows.map((row) => [row.id, row]));
      const unknown = given.placements.flatMap((id, i) =>
        known.has(id) ? [] : [{ pointer: `/placements/${i}`, detail: `${id} does not exist` }],
      );
      const faults: readonly Fault[] =
        given.placements.length === 0 ? [{ pointer: '/placements', detail: 'must name at least one placement' }] : unknown;
      if (!checked.ok || faults.length > 0) {
        const ofDraft = checked.ok ? [] : checked.faults.map(({ pointer, detail }) => ({ pointer: `/line_item${pointer}`, detail }));
        return { ok: false, faults: [...ofDraft, ...faults] };
      }
      const campaign = await trx('campaigns')
        .where({ id: checked.row['campaign_id'] as number })
        .first<{ publisher_id: number }>('publisher_id');
      const parsed = Object.fromEntries(Object.entries(checked.row).map(([name, value]) => [name, asRead(value)]));
      const lineItem: CatalogRow = { ...parsed, id: DRAFT_ID, active: true, archived: false };
      return {
        ok: true,
        publisherId: campaign.publisher_id,
        draft: { lineItemId: DRAFT_ID, rows: { line_items: [lineItem], creatives: creativesOf(rows, DRAFT_ID) } },
      };
    },
    { readOnly: true },
  );

/** A draft is asked about as if it were to serve. */
const activeOf = (lineItem: unknown): unknown => (isObject(lineItem) ? { active: true, ...lineItem } : lineItem);

/** JSON as Postgres gives it back. */
const asRead = (value: unknown): unknown => (typeof value === 'string' && /^[[{]/.test(value) ? (JSON.parse(value) as unknown) : value);

/** Stand-ins: one creative for all placements that take the same format. @param firstId of the first; those of the others follow */
export const creativesOf = (placements: readonly PlacementRow[], lineItemId: number, firstId = DRAFT_ID): readonly CatalogRow[] => {
  const byFormat = new Map<CreativeFormat, string[]>();
  for (const { id, formats } of placements) {
    const format = CREATIVE_FORMATS.find((name) => formats.includes(name));
    if (format !== undefined) byFormat.set(format, [...(byFormat.get(format) ?? []), id]);
  }
  return [...byFormat].map(([format, [first, ...more]], i) => ({
    ...{ id: firstId + i, line_item_id: lineItemId, placement_id: first, more_placement_ids: more, format, content: CONTENTS[format] },
  }));
};
