import { component } from '../api/component.ts';
import { at, created, defineRoutes, jsonBody, ok } from '../api/route.ts';
import { NOT_BLANK } from '../base/schema-faults.ts';
import * as s from '../base/schema.ts';
import { PAGES_OF_AD } from './pages-of-ad.ts';
import { PROOF_REMARK } from './proof-api.ts';
import { MAX_REMARK_LENGTH, VERDICTS } from './proof-remarks.ts';

const SHARED_PROOF = component(
  'SharedProof',
  s.record({
    title: s.text,
    expires_at: s.moment,
    publisher: s.record({ name: s.text, domain: s.text, logo: s.orNull(s.text, { description: 'The address of a picture' }) }),
    creatives: s.listOf(
      s.record({
        id: s.integer,
        name: s.text,
        version: s.described(s.text, 'Of what it shows: a verdict names it'),
        click_url: s.orNull(s.text, { description: 'Where a click leads; null: where the ad itself says' }),
        previews: s.listOf(
          s.record({
            width: s.integer,
            height: s.integer,
            pages: PAGES_OF_AD,
            markup: s.orNull(s.text, { description: 'A document for a sandboxed frame; null: only the player of the page shows it' }),
            live: s.nullOr(
              s.record({
                url: s.described(s.text, 'Of a page that has the tag of the placement'),
                placement_id: s.text,
                adm: s.described(s.text, 'As the page gets it'),
              }),
              { description: 'What shows it on the page itself; null: no page is named, or a player plays it' },
            ),
          }),
          { description: 'In each of its sizes' },
        ),
        verdict: s.nullOr(PROOF_REMARK, { description: 'The last verdict; null: none is about what it shows now' }),
        remarks: s.described(s.listOf(PROOF_REMARK), 'Oldest first'),
      }),
    ),
  }),
  {
    ...{ title: 'Boots, autumn', expires_at: '2026-11-13T12:00:00.000Z' },
    publisher: { name: 'The Gazette', domain: 'gazette.example', logo: 'https://gazette.example/logo.svg' },
    creatives: [
      {
        ...{ id: 9, name: 'Boots, wide', version: '7c2f0d1be5a94c36', click_url: 'https://boots.example/autumn' },
        previews: [{ width: 728, height: 90, pages: [], markup: '<!doctype html><a href="https://boots.example/">Boots</a>', live: null }],
        ...{ verdict: null, remarks: [] },
      },
    ],
  },
);
export type SharedProof = s.Shape<typeof SHARED_PROOF>;

const NEW_REMARK = component(
  'NewProofRemark',
  s.closedRecord({
    creative_id: s.recordId,
    author: s.textOf({ pattern: NOT_BLANK, maxLength: 100, description: 'Who says it' }),
    text: s.withDefault(s.textOf({ maxLength: MAX_REMARK_LENGTH }), ''),
    verdict: s.withDefault(s.nullOr(s.oneOf(VERDICTS), { description: 'null: a comment' }), null),
    version: s.optional(s.textOf({ maxLength: 64, description: 'Of what was judged: needed with a verdict' })),
  }),
  { creative_id: 1, author: 'Bea, Boots of the North', text: 'Is the price the one of November?', verdict: null },
);
export type NewProofRemark = s.Shape<typeof NEW_REMARK>;

/** What everyone who has a link to proofs may do. */
export const SHARED_PROOF_API = defineRoutes({
  getSharedProof: {
    ...at('GET', '/shared_proof', 'creatives'),
    access: 'proof_link',
    cost: 'list',
    summary: 'The ads of a link, in each of their sizes, with what was said of them; the token of the link is the bearer token',
    answer: ok('The proof', SHARED_PROOF),
    problems: ['invalid_link', 'unavailable'],
  },
  addProofRemark: {
    ...at('POST', '/shared_proof/remarks', 'creatives'),
    access: 'proof_link',
    summary: 'Approve an ad, ask for changes, or comment on it',
    body: jsonBody(NEW_REMARK, 'The remark has faults.'),
    answer: created('Added', PROOF_REMARK),
    problems: ['invalid_link', 'conflict', 'not_found', 'too_many_requests', 'unavailable'],
  },
});
