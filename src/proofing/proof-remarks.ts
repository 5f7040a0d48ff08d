import { createHash } from 'node:crypto';
import { show, type Columns, type Shown } from '../api/columns.ts';
import * as s from '../base/schema.ts';
import type { CreativeRecord } from '../catalog/entities/creative.ts';

/** What an advertiser says of an ad; a remark without one is a comment. */
export const VERDICTS = ['approved', 'changes'] as const;
export type Verdict = (typeof VERDICTS)[number];
export const MAX_REMARK_LENGTH = 4_000;

/** What decides how an ad looks, and where it leads. */
export type Proofed = Pick<CreativeRecord, 'format' | 'content' | 'click_url' | 'width' | 'height'>;

/** Of what a creative shows: a verdict is about one version, and not about what was changed since. */
export const versionOf = ({ format, content, click_url: clickUrl, width, height }: Proofed): string =>
  createHash('sha256')
    .update(JSON.stringify([format, content, clickUrl, width, height]))
    .digest('hex')
    .slice(0, 16);

export interface RemarkRow {
  readonly id: number;
  readonly at: Date;
  readonly author: string;
  readonly link_id: number | null;
  readonly verdict: Verdict | null;
  readonly text: string;
  readonly version: string;
}

/** A remark, beside the version that the creative has now. */
interface RemarkNow extends RemarkRow {
  readonly now: string;
}

export const REMARK_COLUMNS = {
  id: { schema: s.integer, of: ({ id }) => id },
  at: { schema: s.moment, of: ({ at }) => at.toISOString() },
  author: { schema: s.described(s.text, 'The name that a reader of the link gave, or of staff'), of: ({ author }) => author },
  side: {
    schema: s.oneOf(['advertiser', 'publisher']),
    of: ({ link_id: link }): 'advertiser' | 'publisher' => (link === null ? 'publisher' : 'advertiser'),
  },
  verdict: { schema: s.nullOr(s.oneOf(VERDICTS), { description: 'null: a comment' }), of: ({ verdict }) => verdict },
  text: { schema: s.text, of: ({ text }) => text },
  is_current: {
    schema: s.described(s.boolean, 'It is about what the creative shows now; false: the creative was changed since'),
    of: ({ version, now }) => version === now,
  },
} satisfies Columns<RemarkNow>;
export type ProofRemark = Shown<typeof REMARK_COLUMNS>;

/** @param now the version of the creative */
export const shownRemark = (row: RemarkRow, now: string): ProofRemark => show(REMARK_COLUMNS, { ...row, now });

/** The verdict that holds: the last one, while the creative shows what was judged. */
export const standingVerdict = (remarks: readonly ProofRemark[]): ProofRemark | null => {
  const last = remarks.findLast(({ verdict }) => verdict !== null);
  return last?.is_current === true ? last : null;
};
