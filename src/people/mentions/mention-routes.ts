import type { Knex } from 'knex';
import { mayDo, type Caller } from '../../access/caller.ts';
import { answer, done, noSuch, type Handlers } from '../../api/route.ts';
import type { Comment, Commented } from '../../bookings/comment-store.ts';
import type { StaffMail } from '../../mail/staff-mail.ts';
import { personIdOf } from '../accounts/account-routes.ts';
import type { ProofStore } from '../../proofing/proof-store.ts';
import type { MENTION_API } from './mention-api.ts';
import type { Mentionable, MentionStore } from './mention-store.ts';

export interface MentionRoutesOptions {
  readonly knex: Knex;
  readonly mentions: MentionStore;
  readonly proofs: Pick<ProofStore, 'inboxOf'>;
}

/** What waits for people, and mentions in comments. */
export const mentionRoutes = ({ knex, mentions, proofs }: MentionRoutesOptions): Handlers<typeof MENTION_API> => {
  const shown = (readers: readonly Mentionable[]) => answer(readers.map(({ name, email }) => ({ name, email })));
  return {
    getInbox: async (_asked, { caller }) => {
      const id = personIdOf(caller);
      if (id === undefined) return answer({ approvals: 0, mentions: [], proofs: [] });
      const reads = mayDo(caller, 'records.read');
      return answer({
        approvals: await countApprovals(knex, caller),
        mentions: reads ? await mentions.list(id, caller) : [],
        proofs: reads ? await proofs.inboxOf(caller.name, caller) : [],
      });
    },
    removeMention: async ({ id }, { caller }) => {
      const personId = personIdOf(caller);
      return personId !== undefined && (await mentions.remove(personId, id)) ? done() : noSuch('mention of you');
    },
    listReadersOfCampaign: async ({ id }) => shown(await mentions.readersOf('campaigns', id)),
    listReadersOfLineItem: async ({ id }) => shown(await mentions.readersOf('line_items', id)),
  };
};

/** Open proposals of others that a person may approve. */
const countApprovals = async (knex: Knex, caller: Caller): Promise<number> => {
  if (!mayDo(caller, 'changes.approve') || caller.advertisers) return 0;
  const open = knex('approvals').where({ state: 'open' }).whereRaw('expires_at > now()').whereNot({ proposed_by: caller.name });
  if (caller.publishers) void open.whereIn('publisher_id', caller.publishers);
  const [row] = await open.count<{ count: string }[]>('* as count');
  return Number(row?.count);
};

/** Stores whom a new comment mentions, and writes to them where there is mail. Rejects when Postgres is unavailable. */
export const createNoteMentions =
  (mentions: MentionStore, send: StaffMail | undefined) =>
  async (of: Commented, id: number, comment: Comment): Promise<void> => {
    const named = await mentions.add(of, id, comment);
    if (named.length === 0 || !send) return;
    // The answer does not wait for the mail.
    void send(() =>
      Promise.resolve({
        to: named.map(({ email }) => email),
        subject: `${comment.actor} mentioned you`,
        paragraphs: [`${comment.actor} mentioned you in a comment:`, comment.text],
        hash: `#/${of}/${id}`,
      }),
    );
  };
