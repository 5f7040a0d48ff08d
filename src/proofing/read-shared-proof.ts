import type { Knex } from 'knex';
import { groupBy } from '../base/group-by.ts';
import { parseCreativeContent } from '../catalog/checks/parse-content.ts';
import { isVideo, type CreativeContent } from '../catalog/model/entities.ts';
import { composeMarkup, type Slot } from '../creative/compose-markup.ts';
import type { PicturedPlacement } from '../creative/place-on-page.ts';
import { previewDocument } from '../creative/preview-document.ts';
import { pagesOfAd } from './pages-of-ad.ts';
import type { UsedProofLink } from './proof-link-store.ts';
import { standingVerdict, versionOf } from './proof-remarks.ts';
import { PROOFED, type ProofedCreative, type ProofStore } from './proof-store.ts';
import type { SharedProof } from './shared-proof-api.ts';

/** Creatives of a campaign that its page shows, and sizes of each. */
const MAX_CREATIVES = 60;
const MAX_SIZES = 12;

type Shown = SharedProof['creatives'][number];
type Publisher = SharedProof['publisher'];

interface CreativeRow extends ProofedCreative {
  readonly line_item: string;
  readonly placement_id: string;
  readonly more_placement_ids: readonly string[];
}

/** Reads what a link shows. Every method rejects when Postgres is unavailable. */
export const createReadSharedProof = (knex: Knex, store: Pick<ProofStore, 'remarksOf'>) => {
  const creativesOf = ({ campaign_id: campaign, creative_id: creative }: UsedProofLink): Promise<readonly CreativeRow[]> => {
    const rows = knex('creatives')
      .join('line_items', 'line_items.id', 'creatives.line_item_id')
      .where({ 'line_items.campaign_id': campaign, 'line_items.archived': false, 'creatives.archived': false })
      .whereNull('creatives.blocked_at');
    if (creative !== null) void rows.where('creatives.id', creative);
    return rows
      .orderBy(['line_items.id', 'creatives.id'])
      .limit(MAX_CREATIVES)
      .select<CreativeRow[]>(
        ...[...PROOFED, 'placement_id', 'more_placement_ids'].map((name) => `creatives.${name}`),
        'line_items.name as line_item',
      );
  };
  return {
    /** The creatives of the link, in any state but archived: they are looked at before they serve. */
    creativesOf,
    /** undefined: the campaign is gone, or another advertiser's now. */
    publisherOf: ({ campaign_id: id, advertiser_id: advertiser }: UsedProofLink): Promise<Publisher | undefined> =>
      knex('campaigns')
        .join('publishers', 'publishers.id', 'campaigns.publisher_id')
        .where('campaigns.id', id)
        .whereRaw('campaigns.advertiser_id is not distinct from cast(? as int)', [advertiser])
        .first<Publisher | undefined>('publishers.name', 'publishers.domain', 'publishers.logo'),
    whole: async (link: UsedProofLink, publisher: Publisher): Promise<SharedProof> => {
      const rows = await creativesOf(link);
      const [remarksOf, places] = await Promise.all([store.remarksOf(rows), placesOf(knex, rows)]);
      const creatives = rows.map((row): Shown => {
        const remarks = remarksOf(row);
        return {
          ...{ id: row.id, name: row.name || row.line_item, version: versionOf(row), click_url: row.click_url },
          previews: previewsOf(row, places),
          ...{ verdict: standingVerdict(remarks), remarks },
        };
      });
      return { title: link.title, expires_at: link.expires_at.toISOString(), publisher, creatives };
    },
  };
};

export type ReadSharedProof = ReturnType<typeof createReadSharedProof>;

const placementsOf = ({ placement_id: first, more_placement_ids: more }: CreativeRow): readonly string[] => [first, ...more];

type Placement = PicturedPlacement & Slot & { readonly id: string; readonly page_url: string | null };

/** By id. */
const placesOf = async (knex: Knex, rows: readonly CreativeRow[]): Promise<ReadonlyMap<string, Placement>> => {
  const ids = [...new Set(rows.flatMap(placementsOf))];
  const found = await knex('placements').whereIn('id', ids).select<Placement[]>('id', 'width', 'height', 'page_pictures', 'page_url');
  return new Map(found.map((place) => [place.id, place]));
};

/** In its own size, or in that of each of its placements: on the pictures of the first that has some, on the page of the first that names one. */
const previewsOf = (row: CreativeRow, places: ReadonlyMap<string, Placement>): Shown['previews'] => {
  const all = placementsOf(row).flatMap((id) => {
    const place = places.get(id);
    return place ? [{ place, width: row.width ?? place.width, height: row.height ?? place.height }] : [];
  });
  const bySize = groupBy(all, ({ width, height }) => `${width}x${height}`);
  const parsed = parseCreativeContent(row.format, row.content);
  return Array.from(bySize.values())
    .slice(0, MAX_SIZES)
    .flatMap((same) => {
      const [first] = same;
      if (!first) return [];
      const { width, height } = first;
      const pictured = same.find(({ place }) => place.page_pictures.length > 0)?.place;
      const slot = { width, height };
      const ad = 'content' in parsed ? { content: parsed.content, clickUrl: row.click_url } : undefined;
      const markup = ad && previewDocument(ad, slot);
      return [{ ...slot, pages: pictured ? pagesOfAd(pictured) : [], markup: markup ?? null, live: liveOf(ad, slot, same) }];
    });
};

/** As an answer to the page has it. What a player plays is not shown there. */
const liveOf = (
  ad: { readonly content: CreativeContent; readonly clickUrl: string | null } | undefined,
  slot: Slot,
  places: readonly { readonly place: Placement }[],
): Shown['previews'][number]['live'] => {
  const shows = places.find(({ place }) => place.page_url !== null)?.place;
  if (!shows?.page_url || !ad) return null;
  const { content, clickUrl } = ad;
  return isVideo(content) ? null : { url: shows.page_url, placement_id: shows.id, adm: composeMarkup({ content, clickUrl }, slot) };
};
