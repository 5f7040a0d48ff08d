import { Router, type RequestHandler } from 'express';
import type { Knex } from 'knex';
import { answer, noSuch, refuse } from '../api/route.ts';
import { allowedMethods, serveRoute } from '../api/serve-routes.ts';
import { answerStoreFaults } from '../api/store-faults.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { linkGate } from '../links/link-gate.ts';
import type { StaffMail } from '../mail/staff-mail.ts';
import type { LogFields } from '../observability/log.ts';
import type { ProofLinkStore, UsedProofLink } from './proof-link-store.ts';
import { versionOf, type ProofRemark } from './proof-remarks.ts';
import type { ProofedCreative, ProofStore } from './proof-store.ts';
import { createReadSharedProof, type ReadSharedProof } from './read-shared-proof.ts';
import { SHARED_PROOF_API, type NewProofRemark, type SharedProof } from './shared-proof-api.ts';

export interface SharedProofOptions {
  readonly links: Pick<ProofLinkStore, 'use'>;
  readonly store: ProofStore;
  readonly knex: Knex;
  /** undefined: there is no mail. */
  readonly staffMail: StaffMail | undefined;
  readonly onFailure: (fault: Error, fields: LogFields) => void;
}

type Opened = UsedProofLink & { readonly publisher: SharedProof['publisher'] };

/** /shared_proof, for everyone who has a link: its ads, and what is said of them. */
export const sharedProofRoute = (options: SharedProofOptions): RequestHandler => {
  const { links, store, knex, onFailure } = options;
  const read = createReadSharedProof(knex, store);
  const open = async (token: string): Promise<Opened | undefined> => {
    const link = await links.use(token);
    const publisher = link && (await read.publisherOf(link));
    return link && publisher && { ...link, publisher };
  };
  const router = Router();
  router.get(
    '/',
    linkGate('proof link', open, (link) =>
      serveRoute(SHARED_PROOF_API.getSharedProof, async () => answer(await read.whole(link, link.publisher))),
    ),
  );
  router.post(
    '/remarks',
    linkGate('proof link', open, (link) =>
      serveRoute(SHARED_PROOF_API.addProofRemark, ({ body }, { actor }) => addRemark(options, read, link, body, actor)),
    ),
  );
  router.all('/', methodNotAllowed(allowedMethods(['GET'])));
  router.all('/remarks', methodNotAllowed(allowedMethods(['POST'])));
  router.use(answerStoreFaults(onFailure));
  return router;
};

const addRemark = async (
  { store, staffMail, knex }: SharedProofOptions,
  read: ReadSharedProof,
  link: Opened,
  { creative_id: id, author, text, verdict, version }: NewProofRemark,
  actor: string,
) => {
  const creative = (await read.creativesOf(link)).find((one) => one.id === id);
  if (!creative) return noSuch('ad of this link');
  const [said, by] = [text.trim(), author.trim()];
  if (said === '' && verdict !== 'approved')
    return refuse('invalid_request', 'The remark has faults.', [{ pointer: '/text', detail: 'must say what to change, or comment' }]);
  if (verdict !== null && version !== versionOf(creative))
    return refuse('conflict', 'The ad was changed since it was shown. Look at it again before you answer.');
  const remark = await store.add(creative, { author: by, text: said, verdict }, link, { actor: `${by}, ${actor}` });
  if (remark === 'busy') return refuse('too_many_requests', 'Much was said by this link in the last hour. Try again later.');
  // The answer does not wait for the mail.
  void staffMail?.(() => mailOf(knex, link, creative, remark));
  return answer(remark);
};

const HEADS = { approved: 'approved', changes: 'asks for changes of' } as const;

/** To who made the link, while they have an account. */
const mailOf = async (knex: Knex, link: Opened, creative: ProofedCreative, { author, verdict, text }: ProofRemark) => {
  const makers = (await knex('people')
    .join('proof_links', 'proof_links.created_by', 'people.email')
    .where('proof_links.id', link.id)
    .whereNull('people.disabled_at')
    .pluck('people.email')) as string[];
  const named = creative.name === '' ? 'an ad' : `“${creative.name}”`;
  const subject = `${author} ${verdict === null ? 'commented on' : HEADS[verdict]} ${named}`;
  return {
    to: makers,
    subject,
    paragraphs: [`${subject}, by the link “${link.title}”.`, ...(text === '' ? [] : [text])],
    hash: `#/creatives/${creative.id}`,
  };
};
