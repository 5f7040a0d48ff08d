import type { Knex } from 'knex';
import type { Scope } from '../access/scope.ts';
import { show, type Columns, type Shown } from '../api/columns.ts';
import * as s from '../base/schema.ts';
import { recordChange, type ChangedBy } from '../bookings/audit-trail.ts';
import { isVisible, scopeBinding } from '../bookings/record-scope.ts';
import type { UsedProofLink } from './proof-link-store.ts';
import { VERDICTS, shownRemark, versionOf, type Proofed, type ProofRemark, type RemarkRow, type Verdict } from './proof-remarks.ts';

/** A creative with what it is judged by. */
export interface ProofedCreative extends Proofed {
  readonly id: number;
  readonly name: string;
  readonly line_item_id: number;
}

interface InboxRow {
  readonly id: number;
  readonly at: Date;
  readonly author: string;
  readonly verdict: Verdict | null;
  readonly text: string;
  readonly creative_id: number;
  readonly name: string;
}

/** What an advertiser said, in the inbox of who made the link. */
export const INBOX_REMARK_COLUMNS = {
  id: { schema: s.integer, of: ({ id }) => id },
  at: { schema: s.moment, of: ({ at }) => at.toISOString() },
  author: { schema: s.text, of: ({ author }) => author },
  verdict: { schema: s.nullOr(s.oneOf(VERDICTS)), of: ({ verdict }) => verdict },
  text: { schema: s.text, of: ({ text }) => text },
  creative_id: { schema: s.integer, of: (row) => row.creative_id },
  name: { schema: s.described(s.text, 'Of the creative'), of: ({ name }) => name },
} satisfies Columns<InboxRow>;
export type InboxRemark = Shown<typeof INBOX_REMARK_COLUMNS>;

export interface NewRemark {
  readonly author: string;
  readonly verdict: Verdict | null;
  readonly text: string;
}

/** Of one creative: the last ones. */
const MAX_REMARKS = 200;
const MAX_LISTED = 100;
/** By one link: more is a mistake, or abuse. */
const MAX_REMARKS_PER_HOUR = 60;

const REMARK = ['id', 'at', 'author', 'link_id', 'verdict', 'text', 'version'] as const;
export const PROOFED = ['id', 'name', 'line_item_id', 'format', 'content', 'click_url', 'width', 'height'] as const;

/** What is said about creatives. Every method rejects when Postgres is unavailable. */
export const createProofStore = ({ knex }: { readonly knex: Knex }) => ({
  /** Oldest first, by creative. */
  remarksOf: async (creatives: readonly ProofedCreative[]): Promise<(creative: ProofedCreative) => readonly ProofRemark[]> => {
    const { rows } = await knex.raw<{ rows: (RemarkRow & { readonly creative_id: number })[] }>(
      `select * from (
         select creative_id, ${REMARK.join(', ')}, row_number() over (partition by creative_id order by id desc) as place
         from proof_remarks where creative_id = any(cast(:ids as int[]))) as said
       where place <= ${MAX_REMARKS} order by id`,
      { ids: creatives.map(({ id }) => id) },
    );
    return (creative) => {
      const now = versionOf(creative);
      return rows.filter((row) => row.creative_id === creative.id).map((row) => shownRemark(row, now));
    };
  },

  find: (id: number): Promise<ProofedCreative | undefined> =>
    knex('creatives')
      .where({ id })
      .first<ProofedCreative | undefined>([...PROOFED]),

  /** @param link undefined: staff say it. `busy`: its readers have said too much in the last hour */
  add: (creative: ProofedCreative, remark: NewRemark, link: UsedProofLink | undefined, by: ChangedBy): Promise<ProofRemark | 'busy'> =>
    knex.transaction(async (trx) => {
      if (link) {
        // Those who use one link at the same time are counted one after the other.
        await trx('proof_links').where({ id: link.id }).forUpdate().first('id');
        const said = trx('proof_remarks').where({ link_id: link.id }).whereRaw(`at > now() - interval '1 hour'`);
        const [row] = await said.count<{ count: string }[]>('* as count');
        if (Number(row?.count) >= MAX_REMARKS_PER_HOUR) return 'busy';
      }
      const version = versionOf(creative);
      const [row] = await trx('proof_remarks')
        .insert({ ...remark, creative_id: creative.id, link_id: link?.id ?? null, version })
        .returning<RemarkRow[]>([...REMARK]);
      if (!row) throw new Error('Postgres returned no row for a remark that it stored.');
      const { id: entityId, name, line_item_id } = creative;
      const after = { name, line_item_id, ...remark, ...(link && { proof_link: link.id }) };
      await recordChange(trx, { ...by, action: 'answer_proof', entity: 'creative', entityId, before: null, after });
      return shownRemark(row, version);
    }),

  /** What was said by the links that someone has made, newest first, unless they took it out of the inbox. */
  inboxOf: async (maker: string, scope: Scope): Promise<readonly InboxRemark[]> => {
    const { rows } = await knex.raw<{ rows: InboxRow[] }>(
      `select r.id, r.at, r.author, r.verdict, r.text, r.creative_id, coalesce(nullif(c.name, ''), l.title) as name
       from proof_remarks r join proof_links l on l.id = r.link_id join creatives c on c.id = r.creative_id
       where l.created_by = :maker and r.done_at is null
         and c.id in (select id from creatives where ${isVisible('creatives', scope)})
       order by r.id desc limit ${MAX_LISTED}`,
      { maker, ...scopeBinding(scope) },
    );
    return rows.map((row) => show(INBOX_REMARK_COLUMNS, row));
  },

  /** False: there is none with this id by a link of theirs. */
  takeOut: async (maker: string, id: number): Promise<boolean> => {
    const mine = knex('proof_links').where({ created_by: maker }).select('id');
    const taken = knex('proof_remarks').where({ id }).whereNull('done_at').whereIn('link_id', mine);
    return (await taken.update({ done_at: knex.fn.now() })) > 0;
  },
});

export type ProofStore = ReturnType<typeof createProofStore>;
