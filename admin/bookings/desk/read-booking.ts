import type { Answered } from '../../api/api.ts';
import type { Problem } from '../../api/wire.ts';
import type { Page } from '../../page.ts';
import type { Route } from '../../route.ts';
import { listOf, textOf } from '../forms/typed-text.ts';
import { bookingOf, newBooking, newKey, type BookingDraft } from './booking-draft.ts';

export type KeptDraft = Answered<'GET', '/booking_drafts'>[number];

export interface ReadBooking {
  readonly key: string;
  readonly draft: BookingDraft;
  /** What the service has, or an empty booking. */
  readonly original: BookingDraft;
  /** When the draft was kept that is shown instead. */
  readonly restored: string | undefined;
  /** Others of the person, and templates. */
  readonly drafts: readonly KeptDraft[];
}

/** A booking as its address names it: that of a campaign, or a new one; with the draft that is kept of it. */
export const readBooking = async (
  page: Page,
  { parts: [, first, ...rest], query }: Route,
): Promise<ReadBooking | { readonly problem: Problem }> => {
  const { api, store } = page;
  const id = rest[0] === 'book' ? Number(first) : undefined;
  const key = id === undefined ? (query.get('draft') ?? `new-${newKey()}`) : `campaign-${id}`;
  const [listed, original] = await Promise.all([
    api.get('/booking_drafts'),
    id === undefined ? newOne(page, query) : existing(page, id),
    store.count(),
  ]);
  if ('problem' in original) return original;
  const isKept = listed.ok && listed.value.some((one) => one.key === key);
  const kept = isKept ? await api.get('/booking_drafts/{key}', { key }) : undefined;
  const draft = kept?.ok ? (kept.value.content as unknown as BookingDraft) : original;
  const namedIn = (field: string): readonly string[] =>
    draft.line_items.map(({ fields }) => textOf(fields[field])).filter((id) => id !== '');
  await Promise.all([
    store.ensure('placements', ...draft.line_items.flatMap(({ fields }) => listOf(fields['placement_ids']))),
    store.ensure('targetings', ...namedIn('targeting_id')),
    store.ensure('bidders', ...namedIn('bidder_id')),
    store.ensure('advertisers', ...listOf(draft.campaign.fields['advertiser_id']).filter((one) => one !== '')),
    store.ensure('publishers', ...listOf(draft.campaign.fields['publisher_id']).filter((one) => one !== '')),
  ]);
  const drafts = listed.ok ? listed.value.filter((one) => one.key !== key) : [];
  return { key, draft, original, restored: kept?.ok ? kept.value.changed_at : undefined, drafts };
};

/** With the only publisher, where there is one. */
const newOne = async ({ store }: Page, query: URLSearchParams): Promise<BookingDraft> => {
  await store.count();
  const [only, ...others] = store.first('publishers');
  const { draft: _, ...given } = Object.fromEntries(query);
  return newBooking({ ...(only && others.length === 0 && { publisher_id: only.id }), ...given });
};

const existing = async ({ api, store }: Page, id: number): Promise<BookingDraft | { readonly problem: Problem }> => {
  const campaign = await api.records.read('campaigns', id);
  if (!campaign.ok) return campaign;
  const of = `campaign_id=${id}`;
  const faults = await Promise.all([store.read('line_items', of), store.read('creatives', of)]);
  const [problem] = faults.filter((one) => one !== undefined);
  if (problem) return { problem };
  return bookingOf(campaign.value, store.listing('line_items', of)?.rows ?? [], store.listing('creatives', of)?.rows ?? []);
};
