import type { Caller } from '../access/caller.ts';
import { childrenOf, copyCreative, createCopyRecord, nameOfCopy, type CopyOptions } from './copy-record.ts';
import { ENTITY_KINDS, type EntityRecord } from './entity-kind.ts';
import type { Written } from './written.ts';

/** Records of a copy: their transaction holds the lock of the catalog for about four seconds. */
export const MAX_COPIED = 1_000;

/**
 * Copies a campaign with its line items and creatives, with their dates; what is archived stays
 * behind. The copy is paused as a whole, so that nothing serves before someone has looked at it. A
 * blocked creative is copied as rejected, and external keys stay with the original. The first record that is refused is the outcome.
 */
export const duplicateCampaign = async (options: CopyOptions, campaign: EntityRecord, caller: Caller): Promise<Written> => {
  const { line_items: lineItemKind, creatives: creativeKind, campaigns: campaignKind } = ENTITY_KINDS;
  const { knex } = options;
  const lineItems = await childrenOf(knex, lineItemKind, 'campaign_id', [Number(campaign['id'])]);
  const creatives = await childrenOf(
    knex,
    creativeKind,
    'line_item_id',
    lineItems.map(({ id }) => Number(id)),
  );
  const records = 1 + lineItems.length + creatives.length;
  if (records > MAX_COPIED) {
    const detail = `the campaign has ${records} records, and at most ${MAX_COPIED} are copied`;
    return { ok: false, refusal: 'invalid', faults: [{ pointer: '', detail }] };
  }
  const copyRecord = createCopyRecord(options, caller);
  const name = nameOfCopy(campaign['name'], ' (copy)');
  const copy = await copyRecord(campaignKind, campaign, { name, active: false, archived: false, screenshots: [] });
  if (!copy.ok) return copy;
  for (const lineItem of lineItems) {
    const item = await copyRecord(lineItemKind, lineItem, { campaign_id: copy.record['id'] });
    if (!item.ok) return item;
    for (const creative of creatives.filter(({ line_item_id }) => line_item_id === lineItem['id'])) {
      const copied = await copyCreative(copyRecord, creative, item.record['id']);
      if (!copied.ok) return copied;
    }
  }
  return copy;
};
