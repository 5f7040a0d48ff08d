import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import { ENTITY_TABLES, entityOf, type EntityTable } from '../catalog/entities/entities.ts';
import type { StaffMail } from '../mail/staff-mail.ts';
import { whoMay } from '../people/who-may.ts';
import type { ApprovalRow, ProposedChange } from './approval-store.ts';

const DECIDED = { approved: 'approved', sent_back: 'sent back' } as const;

/** Mails about proposals. Each resolves in any case. */
export const createApprovalMails = (knex: Knex, send: StaffMail) => ({
  /** To all who may approve it. */
  proposed: ({ id, proposed_by: by, publisher_id: publisherId, note, reasons, changes, expires_at: until }: ApprovalRow): Promise<void> =>
    send(async () => ({
      to: (await whoMay(knex, 'changes.approve', publisherId)).map(({ email }) => email).filter((email) => email !== by),
      subject: `${by} asks for approval: ${changes.map(changeWords).join(', ')}`,
      paragraphs: [
        `${by} has proposed a change that needs a second person:`,
        [...new Set(reasons.map((reason) => `- ${reasonWords(reason, changes)}`))].join('\n'),
        ...(note === '' ? [] : [`Why: ${note}`]),
        `Look at it, and approve it or send it back, until ${until.toUTCString()}:`,
      ],
      hash: `#/approvals/${id}`,
    })),

  /** To who proposed it. */
  decided: ({ id, state, decided_by: by, proposed_by: proposer, words, changes }: ApprovalRow): Promise<void> =>
    send(async () => {
      if (state !== 'approved' && state !== 'sent_back') return undefined;
      const people = await knex('people').where({ email: proposer }).whereNull('disabled_at').select<{ email: string }[]>('email');
      return {
        to: people.map(({ email }) => email),
        subject: `Your change was ${DECIDED[state]}: ${changes.map(changeWords).join(', ')}`,
        paragraphs: [
          `${by} has ${DECIDED[state]} your change. ${state === 'approved' ? 'It was made.' : 'Nothing was changed.'}`,
          ...(words === null ? [] : [`“${words}”`]),
        ],
        hash: `#/approvals/${id}`,
      };
    }),
});
export type ApprovalMails = ReturnType<typeof createApprovalMails>;

/** `line item “Boots”`, `month 2026-10 of publisher 1`. */
const changeWords = ({ entity, id, before, after }: ProposedChange): string => {
  const month = after?.['month_closed'];
  const of = entity.replaceAll('_', ' ');
  if (typeof month === 'string') return `month ${month} of ${of} ${id}`;
  const name = (after ?? before)?.['name'];
  if (id === null) return `new ${of}${typeof name === 'string' ? ` “${name}”` : ''}`;
  return `${of} ${typeof name === 'string' && name !== '' ? `“${name}”` : id}`;
};

/** `CPM is below 2 USD`: the label of the field, where the form has it. */
const reasonWords = ({ pointer, detail }: Fault, changes: readonly ProposedChange[]): string => {
  const [, index = '', field = ''] = /^\/operations\/(\d+)\/body\/(\w+)$/.exec(pointer) ?? [];
  const table = tableOf(changes[Number(index)]?.entity);
  const label = table && entityOf(table).fields[field]?.form?.label;
  return `${label ?? field} ${detail}`.trim();
};

const tableOf = (entity: string | undefined): EntityTable | undefined =>
  ENTITY_TABLES.find((table) => entityOf(table).one.replaceAll(' ', '_') === entity);
