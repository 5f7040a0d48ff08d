import { schemaOf } from '../api/columns.ts';
import { component } from '../api/component.ts';
import { pagedList } from '../api/paged-list.ts';
import { idInPath, idQuery } from '../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, noContent, ok } from '../api/route.ts';
import { NOT_BLANK } from '../base/schema-faults.ts';
import * as s from '../base/schema.ts';
import { LINK_DAYS } from '../links/shared-link-store.ts';
import { PROOF_LINK_COLUMNS, type ProofLink } from './proof-link-store.ts';
import { MAX_REMARK_LENGTH, REMARK_COLUMNS, type ProofRemark } from './proof-remarks.ts';

const LINK_REQUEST = component(
  'ProofLinkRequest',
  s.closedRecord({
    campaign_id: s.optional({ ...s.recordId, description: 'All creatives of this campaign; or' }),
    creative_id: s.optional({ ...s.recordId, description: 'this creative' }),
    title: s.optional(s.textOf({ maxLength: 128, description: 'By default the name of the campaign' })),
    days: LINK_DAYS,
  }),
  { campaign_id: 3, days: 30 },
);

const stored: ProofLink = {
  ...{ id: 4, prefix: 'adsp_2b9e41', title: 'Boots, autumn', created_by: 'ann', created_at: '2026-10-14T12:00:00.000Z' },
  ...{ expires_at: '2026-11-13T12:00:00.000Z', last_used_at: null, revoked_at: null, campaign_id: 3, creative_id: null, advertiser_id: 2 },
};
const PROOF_LINK = component('ProofLink', schemaOf(PROOF_LINK_COLUMNS), stored);
const NEW_LINK = component(
  'CreatedProofLink',
  s.record({ ...schemaOf(PROOF_LINK_COLUMNS).properties, token: s.described(s.text, 'Shown this once, as is url'), url: s.text }),
  { ...stored, token: 'adsp_2b9e41…', url: 'https://ads.gazette.example/static/proof/#adsp_2b9e41…' },
);

const remark: ProofRemark = {
  ...{ id: 7, at: '2026-10-15T09:30:00.000Z', author: 'Bea, Boots of the North', side: 'advertiser', verdict: 'changes' },
  ...{ text: 'The price has to be 79.', is_current: true },
};
export const PROOF_REMARK = component('ProofRemark', schemaOf(REMARK_COLUMNS), remark);
const PROOF = component(
  'Proof',
  s.record({
    verdict: s.nullOr(PROOF_REMARK, { description: 'The last verdict; null: none is about what the creative shows now' }),
    remarks: s.described(s.listOf(PROOF_REMARK), 'Oldest first'),
  }),
  { verdict: remark, remarks: [remark] },
);
const REPLY = component('ProofReply', s.closedRecord({ text: s.textOf({ pattern: NOT_BLANK, maxLength: MAX_REMARK_LENGTH }) }), {
  text: 'It is 79 now. Please look again.',
});

const sharing = { needs: 'creatives.write', reach: 'publishers' } as const;

/** Proofs of ads: links for the advertiser, and what is said there. */
export const PROOF_API = defineRoutes({
  listProofLinks: {
    ...at('GET', '/api/proof_links', 'creatives'),
    ...sharing,
    cost: 'list',
    summary: 'Links to proofs, newest first, with those that are revoked or have expired',
    ...pagedList('Links', PROOF_LINK, {
      campaign_id: idQuery('a campaign', 'Only those of this campaign'),
      creative_id: idQuery('a creative', 'Only those that show this creative'),
    }),
  },
  createProofLink: {
    ...at('POST', '/api/proof_links', 'creatives'),
    ...sharing,
    summary: 'A link by which an advertiser looks at its ads, comments and approves them; the audit trail names who shared it',
    body: jsonBody(LINK_REQUEST, 'The link has faults.'),
    answer: created('The link', NEW_LINK),
  },
  revokeProofLink: {
    ...at('DELETE', '/api/proof_links/{id}', 'creatives'),
    ...sharing,
    summary: 'Revoke a link to proofs: no replica answers it from now on',
    parameters: { id: idInPath('link that could be used') },
    answer: noContent('Revoked'),
  },
  getProof: {
    ...at('GET', '/api/creatives/{id}/proof', 'creatives'),
    needs: 'records.read',
    reach: 'own',
    summary: 'What the advertiser says of a creative, and the replies',
    parameters: { id: idInPath('creative') },
    answer: ok('Verdict and remarks', PROOF),
  },
  replyToProof: {
    ...at('POST', '/api/creatives/{id}/proof', 'creatives'),
    needs: 'comments.write',
    reach: 'publishers',
    summary: 'Reply to the advertiser: everyone with a link to the proof reads it',
    parameters: { id: idInPath('creative') },
    body: jsonBody(REPLY, 'The reply has a fault.'),
    answer: created('Added', PROOF_REMARK),
  },
  removeProofRemark: {
    ...at('DELETE', '/api/me/proof_remarks/{id}', 'people'),
    ...{ needs: 'sign_in', reach: 'any' },
    summary: 'Take what an advertiser said by a link of yours out of your inbox',
    parameters: { id: idInPath('remark by a link of yours') },
    answer: noContent('Taken out'),
  },
});
