import type { Knex } from 'knex';
import type { Scope } from '../access/scope.ts';
import { answer, done, noSuch, refuse, type Handlers } from '../api/route.ts';
import { changedBy } from '../bookings/audit-trail.ts';
import { onlyVisible } from '../bookings/record-scope.ts';
import { publisherQuery } from '../bookings/second-person.ts';
import type { PROOF_API } from './proof-api.ts';
import type { ProofLinkStore, ProofOf } from './proof-link-store.ts';
import { standingVerdict } from './proof-remarks.ts';
import type { ProofedCreative, ProofStore } from './proof-store.ts';

export interface ProofRoutesOptions {
  readonly knex: Knex;
  readonly links: ProofLinkStore;
  readonly store: ProofStore;
  /** '': the URL of a link is relative. */
  readonly publicUrl: string;
}

/** Links for advertisers, and what is said of creatives. Who may see some publishers shares their ads, and sees links to these alone. */
export const proofRoutes = ({ knex, links, store, publicUrl }: ProofRoutesOptions): Handlers<typeof PROOF_API> => ({
  listProofLinks: async (wanted, { caller }) => answer(await links.list(caller, wanted)),

  createProofLink: async ({ body: { campaign_id: campaignId, creative_id: creativeId, title = '', days } }, { caller }) => {
    if ((campaignId === undefined) === (creativeId === undefined)) return faulty('', 'must have campaign_id or creative_id, and not both');
    const shown = await findShown(knex, campaignId, creativeId, caller);
    if (!shown && creativeId !== undefined) return faulty('/creative_id', 'must be the id of a creative');
    if (!shown) return faulty('/campaign_id', 'must be the id of a campaign');
    const { proof, name, owner } = shown;
    const link = await links.create({ ...proof, title: title.trim() || name }, days, changedBy(caller), owner);
    return answer({ ...link, url: `${publicUrl}/static/proof/#${link.token}` });
  },

  revokeProofLink: async ({ id }, { caller }) =>
    (await links.revoke(id, caller, changedBy(caller))) ? done() : noSuch('link that could be used'),

  getProof: async ({ id }) => {
    const creative = await store.find(id);
    if (!creative) return noSuch('creative');
    const remarks = (await store.remarksOf([creative]))(creative);
    return answer({ verdict: standingVerdict(remarks), remarks });
  },

  replyToProof: async ({ id, body: { text } }, { caller }) => {
    const creative = await store.find(id);
    if (!creative) return noSuch('creative');
    const author = caller.fullName ?? (await publisherOf(knex, creative));
    const remark = await store.add(creative, { author, text: text.trim(), verdict: null }, undefined, changedBy(caller));
    return remark === 'busy' ? refuse('too_many_requests', 'Try again later.') : answer(remark);
  },

  removeProofRemark: async ({ id }, { caller }) =>
    caller.kind === 'person' && (await store.takeOut(caller.name, id)) ? done() : noSuch('remark by a link of yours'),
});

const faulty = (pointer: string, detail: string) => refuse('invalid_request', 'The link has faults.', [{ pointer, detail }]);

interface ShownByLink {
  readonly proof: ProofOf;
  readonly name: string;
  /** What says in the audit trail whose it is. */
  readonly owner: object;
}

/** What a link is to show; undefined: there is no such record in the scope. */
const findShown = async (
  knex: Knex,
  campaignId: number | undefined,
  creativeId: number | undefined,
  scope: Scope,
): Promise<ShownByLink | undefined> => {
  const creative =
    creativeId === undefined
      ? undefined
      : await onlyVisible(knex('creatives').where({ id: creativeId }), 'creatives', scope).first<
          { name: string; line_item_id: number } | undefined
        >('name', 'line_item_id');
  if (creativeId !== undefined && !creative) return undefined;
  const ofCreative = knex('line_items')
    .where({ id: creative?.line_item_id ?? 0 })
    .select('campaign_id');
  const campaigns = creative ? knex('campaigns').whereIn('id', ofCreative) : knex('campaigns').where({ id: campaignId });
  const campaign = await onlyVisible(campaigns, 'campaigns', scope).first<CampaignRow | undefined>(
    'id',
    'name',
    'publisher_id',
    'advertiser_id',
  );
  if (!campaign) return undefined;
  const { id, name, publisher_id, advertiser_id } = campaign;
  return {
    proof: { campaign_id: id, creative_id: creativeId ?? null, advertiser_id },
    name: creative?.name ? `${name}: ${creative.name}` : name,
    owner: creative ? { line_item_id: creative.line_item_id } : { publisher_id },
  };
};

interface CampaignRow {
  readonly id: number;
  readonly name: string;
  readonly publisher_id: number;
  readonly advertiser_id: number | null;
}

/** The name of the publisher of a creative. */
const publisherOf = async (knex: Knex, { line_item_id }: ProofedCreative): Promise<string> =>
  (await publisherQuery(knex, { line_item_id }).first<{ name: string } | undefined>('publishers.name'))?.name ?? '';
