import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { RecordReach } from '../api/call-rights.ts';
import type { Fault } from '../base/fault.ts';
import { bookCampaign } from '../bookings/book-campaign.ts';
import type { Booking } from '../bookings/booking-api.ts';
import type { CatalogWriter } from '../bookings/catalog-writer.ts';
import type { EntityRecord } from '../bookings/entity-kind.ts';
import type { CatalogRow, CatalogTable } from '../catalog/model/catalog-reading.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import { creativesOf, type DraftedLineItem, type PlacementRow } from './draft-line-item.ts';
import { DRAFT_ID } from './with-draft.ts';

export interface DraftBookingOptions {
  readonly writer: CatalogWriter;
  readonly reach: RecordReach;
  readonly now: () => number;
}

/** @param at the position of the line item that is asked about */
export type DraftBooking = (booking: Booking, at: number, caller: Caller) => Promise<DraftedLineItem>;

/**
 * Books a campaign on trial, and returns its rows as they would be stored, with stand-ins where a line item has no creatives.
 * Another line item that has faults is left out. Nothing is stored.
 */
export const createDraftBooking =
  ({ writer, reach, now }: DraftBookingOptions): DraftBooking =>
  async (booking, at, caller) => {
    let drafted: DraftedLineItem | undefined;
    await writer.tryOut(async (records, trx) => {
      const { campaign, lineItems, faults, written } = await bookCampaign(records, trx, booking, { caller, reach, nowMs: now() });
      const asked = lineItems[at]?.lineItem ?? null;
      const ofAsked = faults.filter(({ pointer }) => isAbout(pointer, at));
      const missing: readonly Fault[] =
        at < booking.line_items.length ? [] : [{ pointer: '/at', detail: 'is not the position of a line item' }];
      if (!campaign || !asked || ofAsked.length > 0 || missing.length > 0) drafted = { ok: false, faults: [...missing, ...ofAsked] };
      else {
        const { rows, unplaced } = await rowsOf(
          trx,
          campaign,
          lineItems.flatMap(({ lineItem }) => (lineItem ? [lineItem] : [])),
        );
        drafted = unplaced.includes(asked['id'] as number)
          ? {
              ok: false,
              faults: [{ pointer: `/booking/line_items/${at}/fields/placement_ids`, detail: 'must name at least one placement' }],
            }
          : {
              ok: true,
              publisherId: campaign['publisher_id'] as number,
              draft: { lineItemId: asked['id'] as number, rows },
            };
      }
      return written;
    });
    return drafted ?? { ok: false, faults: [] };
  };

/** A fault of another line item is none of this one. */
const isAbout = (pointer: string, at: number): boolean =>
  !pointer.startsWith('/line_items/') || pointer === `/line_items/${at}` || pointer.startsWith(`/line_items/${at}/`);

/** As Postgres has them in the transaction. `unplaced`: line items without a creative, and without a placement for a stand-in. */
const rowsOf = async (
  trx: Knex.Transaction,
  campaign: EntityRecord,
  lineItems: readonly EntityRecord[],
): Promise<{ readonly rows: Partial<Record<CatalogTable, readonly CatalogRow[]>>; readonly unplaced: readonly number[] }> => {
  const read = (table: CatalogTable, column: string, ids: readonly unknown[]): Promise<readonly CatalogRow[]> =>
    trx(table)
      .select<CatalogRow[]>(...ROWS[table].columns)
      .whereIn(column, ids as number[]);
  const ids = lineItems.map(({ id }) => id as number);
  const campaigns = await read('campaigns', 'id', [campaign['id']]);
  const items = await read('line_items', 'id', ids);
  const creatives = [...(await read('creatives', 'line_item_id', ids))];
  const unplaced: number[] = [];
  for (const item of items) {
    const id = item['id'] as number;
    if (creatives.some(({ line_item_id: of }) => of === id)) continue;
    const places = await trx('placements')
      .whereIn('id', (item['placement_ids'] as string[] | null) ?? [])
      .select<PlacementRow[]>('*');
    const standIns = creativesOf(places, id, DRAFT_ID + creatives.length);
    if (standIns.length === 0) unplaced.push(id);
    creatives.push(...standIns);
  }
  // A draft is asked about as if it were to serve.
  const live = (row: CatalogRow): CatalogRow => ({ ...row, active: true, archived: false });
  return { rows: { campaigns: campaigns.map(live), line_items: items.map(live), creatives }, unplaced };
};
