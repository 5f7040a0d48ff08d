import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { Permission } from '../access/permissions.ts';
import { EVERYTHING } from '../access/scope.ts';
import type { RecordReach } from '../api/call-rights.ts';
import type { ApprovalMails } from '../approvals/approval-mails.ts';
import { addWithin, MEDIA_BUYS, type ApprovalStore, type ProposedChange } from '../approvals/approval-store.ts';
import type { Fault } from '../base/fault.ts';
import { bookCampaign, type BookedParts } from '../bookings/book-campaign.ts';
import type { CatalogWriter } from '../bookings/catalog-writer.ts';
import { refused } from '../bookings/written.ts';
import type { BookMediaBuy } from './book-media-buy.ts';
import { bookingOf, type AskedBuy, type BuyOwner } from './media-buy.ts';
import { addMediaBuy, changeMediaBuy, type BuyWebhook } from './media-buy-store.ts';

export interface RequestMediaBuyOptions {
  readonly knex: Knex;
  readonly writer: CatalogWriter;
  readonly reach: RecordReach;
  readonly bookMediaBuy: BookMediaBuy;
  readonly approvals: ApprovalStore;
  readonly mails: ApprovalMails | undefined;
  readonly now: () => number;
}

export interface RequestedBuy {
  readonly owner: BuyOwner;
  readonly asked: AskedBuy;
  readonly webhook: BuyWebhook | undefined;
  /** Why a person has to look at it, besides what the publisher asks for; empty: there is nothing else. */
  readonly doubts: readonly Fault[];
  /** Whether its traffic is still there, while no other booking is made. */
  readonly isFree: (trx: Knex.Transaction) => Promise<boolean>;
}

export type Requested =
  | { readonly kind: 'booked'; readonly id: number }
  | { readonly kind: 'waits'; readonly id: number; readonly reasons: readonly Fault[] }
  | { readonly kind: 'refused'; readonly faults: readonly Fault[] }
  /** Someone else has bought its traffic meanwhile. */
  | { readonly kind: 'taken' }
  /** Too many wait already. */
  | { readonly kind: 'full' };

const BOOKS: readonly Permission[] = ['bookings.write', 'creatives.write'];

/**
 * A buyer as a media buy of its advertiser writes: it may book, and name a publisher, an advertiser and placements of which it
 * has booked nothing yet. Whose the media buy is has been checked before.
 */
export const asBooking = (caller: Caller): Caller => ({
  ...caller,
  ...EVERYTHING,
  permissions: new Set([...caller.permissions, ...BOOKS]),
});

/** Books what an agent asks for; or keeps it for a second person, where its publisher or a doubt asks for one. */
export type RequestMediaBuy = (wanted: RequestedBuy, caller: Caller) => Promise<Requested>;

export const createRequestMediaBuy =
  ({ knex, writer, reach, bookMediaBuy, approvals, mails, now }: RequestMediaBuyOptions): RequestMediaBuy =>
  async ({ owner, asked, webhook, doubts, isFree }, buyer) => {
    const caller = asBooking(buyer);
    const booking = bookingOf(owner, asked);
    const tryAs = async (one: Caller): Promise<BookedParts> => {
      let parts: BookedParts | undefined;
      await writer.tryOut(async (records, trx) => {
        parts = await bookCampaign(records, trx, booking, { caller: one, reach, nowMs: now() });
        return parts.written;
      });
      return parts!;
    };
    const tried = await tryAs(caller);
    const refusals = tried.written.flatMap((one) => (one.ok ? [] : [one.refusal]));
    const needsApproval = refusals.length > 0 && refusals.every((one) => one === 'approval_required');
    // With approval, what else it lacks is seen before a person looks at it.
    const checked = needsApproval ? await tryAs({ ...caller, approvedBy: caller.name }) : tried;
    if (checked.faults.length > 0) return { kind: 'refused', faults: checked.faults };
    const publisher = await knex('publishers')
      .where({ id: owner.publisherId })
      .first<{ approval_of_media_buys: boolean }>('approval_of_media_buys');
    const asksFor = publisher.approval_of_media_buys ? [{ pointer: '', detail: 'what agents buy needs a second person' }] : [];
    const reasons = [...asksFor, ...(needsApproval ? tried.faults.map(ofChange) : []), ...doubts];
    const row = { buyer: caller.name, asked };
    if (reasons.length === 0) {
      let id = 0;
      let isTaken = false;
      const written = await writer.together(async (records, trx) => {
        isTaken = !(await isFree(trx));
        if (isTaken) return [refused('conflict')];
        id = await addMediaBuy(trx, owner, { ...row, webhook: undefined });
        return bookMediaBuy(records, trx, id, caller);
      });
      if (isTaken) return { kind: 'taken' };
      const faults = written.flatMap((one) => (one.ok ? [] : one.faults));
      return written.every(({ ok }) => ok) ? { kind: 'booked', id } : { kind: 'refused', faults };
    }
    const kept = await knex.transaction(async (trx) => {
      const id = await addMediaBuy(trx, owner, { ...row, webhook });
      const approvalId = await addWithin(trx, {
        publisher_id: owner.publisherId,
        operations: [{ method: 'POST', path: MEDIA_BUYS, body: { media_buy_id: id } }],
        ...{ changes: changesOf(checked), reasons, note: `Media buy ${id} of an agent`, proposed_by: caller.name },
      });
      if (approvalId === undefined) await trx('media_buys').where({ id }).delete();
      else await changeMediaBuy(trx, id, { approval_id: approvalId });
      return { id, approvalId };
    });
    if (kept.approvalId === undefined) return { kind: 'full' };
    const proposed = mails && (await approvals.find(null, kept.approvalId));
    if (proposed) void mails.proposed(proposed);
    return { kind: 'waits', id: kept.id, reasons };
  };

/** A reason at the change that it is about: that of the campaign comes first, then those of its line items. */
const ofChange = ({ pointer, detail }: Fault): Fault => ({
  pointer: pointer
    .replace(/^\/campaign\/fields/, '/operations/0/body')
    .replace(/^\/line_items\/(\d+)\/fields/, (_, i: string) => `/operations/${Number(i) + 1}/body`),
  detail,
});

const changesOf = ({ campaign, lineItems }: BookedParts): readonly ProposedChange[] => {
  const change = (entity: string, record: Readonly<Record<string, unknown>> | null): readonly ProposedChange[] => {
    const { id: _, campaign_id: __, ...after } = record ?? {};
    return record ? [{ entity, id: null, before: null, after }] : [];
  };
  return [...change('campaign', campaign), ...lineItems.flatMap(({ lineItem }) => change('line_item', lineItem))];
};
