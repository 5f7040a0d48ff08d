import type { Knex } from 'knex';
import { PROOF_LINK_SECRET } from '../access/secret-kind.ts';
import { isLimited, type Scope } from '../access/scope.ts';
import type { Columns, Shown } from '../api/columns.ts';
import * as s from '../base/schema.ts';
import type { ChangedBy } from '../bookings/audit-trail.ts';
import { isVisible, scopeBinding } from '../bookings/record-scope.ts';
import { createSharedLinkStore, SHARED_LINK_COLUMNS, type SharedLinkRow, type Narrow } from '../links/shared-link-store.ts';

/** What a link shows: a creative of a campaign, or all of them, while the campaign is this advertiser's. */
export interface ProofOf {
  readonly campaign_id: number;
  /** null: all of the campaign. */
  readonly creative_id: number | null;
  /** null: the campaign is of none. */
  readonly advertiser_id: number | null;
}

type ProofLinkRow = SharedLinkRow & ProofOf;

export const PROOF_LINK_COLUMNS = {
  ...SHARED_LINK_COLUMNS,
  campaign_id: { schema: s.integer, of: (row) => row.campaign_id },
  creative_id: { schema: s.orNull(s.integer, { description: 'null: all creatives of the campaign' }), of: (row) => row.creative_id },
  advertiser_id: {
    schema: s.orNull(s.integer, { description: 'Of the campaign: the link shows nothing once it is another’s' }),
    of: (row) => row.advertiser_id,
  },
} satisfies Columns<ProofLinkRow>;
export type ProofLink = Shown<typeof PROOF_LINK_COLUMNS>;

/** A link that is used. */
export type UsedProofLink = ProofOf & { readonly id: number; readonly title: string; readonly expires_at: Date };

export interface WantedLinks {
  readonly campaign_id?: number | undefined;
  readonly creative_id?: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

const seenIn =
  (scope: Scope): Narrow =>
  (links) =>
    isLimited(scope)
      ? links.whereRaw(`campaign_id in (select id from campaigns where ${isVisible('campaigns', scope)})`, { ...scopeBinding(scope) })
      : links;

/** A link to a campaign shows each of its creatives. */
const SHOWS = `(creative_id = :id or creative_id is null and campaign_id =
  (select campaign_id from line_items where id = (select line_item_id from creatives where id = :id)))`;

/** Links to proofs. Every method rejects when Postgres is unavailable. */
export const createProofLinkStore = ({ knex }: { readonly knex: Knex }) => {
  const links = createSharedLinkStore<ProofLinkRow, typeof PROOF_LINK_COLUMNS>(knex, {
    ...{ table: 'proof_links', entity: 'proof_link', secret: PROOF_LINK_SECRET, columns: PROOF_LINK_COLUMNS },
  });
  return {
    /** Newest first, of campaigns that are seen in a scope; revoked and expired ones too. */
    list: (scope: Scope, { campaign_id: campaign, creative_id: creative, ...page }: WantedLinks): Promise<readonly ProofLink[]> =>
      links.list((all) => {
        const seen = seenIn(scope)(all);
        if (campaign !== undefined) void seen.where({ campaign_id: campaign });
        return creative === undefined ? seen : seen.whereRaw(SHOWS, { id: creative });
      }, page),
    /** With its token, this once. @param owner what says in the audit trail whose it is */
    create: (proof: ProofOf & { readonly title: string }, days: number, by: ChangedBy, owner: object) =>
      links.create(proof, days, by, (link) => ({
        ...{ action: 'share_proof', after: { ...link, ...owner } },
        ...(proof.creative_id === null
          ? { entity: 'campaign', entityId: proof.campaign_id }
          : { entity: 'creative', entityId: proof.creative_id }),
      })),
    /** No replica answers it once this resolves. False: there is none in the scope with this id that could be used. */
    revoke: (id: number, scope: Scope, by: ChangedBy): Promise<boolean> => links.revoke(id, seenIn(scope), by),
    /** undefined: there is none with this token, or it has ended. */
    use: (token: string) => links.use<UsedProofLink>(token, 'id, title, expires_at, campaign_id, creative_id, advertiser_id'),
  };
};

export type ProofLinkStore = ReturnType<typeof createProofLinkStore>;
