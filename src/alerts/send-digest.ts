import type { Knex } from 'knex';
import { MS_PER_DAY } from '../base/utc-day.ts';
import { moneyWords } from '../catalog/model/money.ts';
import { ATTENTION_WORDS } from '../delivery/at-stake/attention-words.ts';
import type { AttentionKind, AttentionRow } from '../delivery/attention/attention.ts';
import { byMoney, type ByMoney } from '../delivery/at-stake/by-money.ts';
import { readItemGroups } from '../delivery/attention/read-item-groups.ts';
import type { ReadStatuses } from '../delivery/status/read-statuses.ts';
import type { SendMail } from '../mail/send-mail.ts';
import type { DueDigest } from './digest-store.ts';

export interface SendDigestOptions {
  readonly knex: Knex;
  readonly readStatuses: ReadStatuses;
  /** undefined: SMTP_URL is not set. */
  readonly sendMail: SendMail | undefined;
  /** Of the page; '': mails have no links. */
  readonly publicUrl: string;
}

/** Mails what is at risk, as the home screen lists it; nothing when all is well. Rejects when that fails. */
export const createSendDigest =
  ({ knex, readStatuses, sendMail, publicUrl }: SendDigestOptions) =>
  async ({ publisherId, emails }: DueDigest, atMs: number): Promise<void> => {
    const publishers = publisherId === null ? null : [publisherId];
    const { groups } = await readItemGroups(knex, readStatuses, { atMs, publishers });
    const found = byMoney(groups);
    if (found.rows.length === 0 || emails.length === 0) return;
    if (!sendMail) throw new Error('SMTP_URL is not set.');
    await sendMail({ to: emails, ...digestMail(found, publicUrl, atMs) });
  };

/** The mail of a morning. */
export const digestMail = (
  { groups, sums, rows }: ByMoney,
  publicUrl: string,
  atMs: number,
): { readonly subject: string; readonly text: string } => {
  const sum = sums.map(({ currency, amount }) => moneyWords(amount, currency)).join(' + ');
  const total = groups.reduce((count, group) => count + group.total, 0);
  const counts = groups.map((group) => `${ATTENTION_WORDS[group.kind].title} ${group.total}`).join(' · ');
  const paragraphs = [
    `${sum} at risk if it goes on like this.\n${counts}`,
    ...rows.map(({ kind, row }) => rowText(kind, row, publicUrl, atMs)),
    ...(total > rows.length ? [`${total - rows.length} more`] : []),
    ...(publicUrl === '' ? [] : [`${publicUrl}/static/admin.html#/overview`]),
  ];
  return { subject: `${sum} at risk`, text: `${paragraphs.join('\n\n')}\n` };
};

const rowText = (
  kind: AttentionKind,
  { id, name, text, at_risk, currency, ends_at, remedy }: AttentionRow,
  publicUrl: string,
  atMs: number,
): string => {
  const risk = at_risk === null ? [] : [moneyWords(at_risk, currency ?? 'USD')];
  const days = ends_at === null ? [] : [`in ${Math.max(0, Math.ceil((Date.parse(ends_at) - atMs) / MS_PER_DAY))} days`];
  return [
    [...risk, ...days, name].join(' · '),
    `${ATTENTION_WORDS[kind].title}: ${text}`,
    ...(remedy ? [`What helps most: ${remedy.words}, for about ${remedy.p50.toLocaleString('en')}.`] : []),
    ...(publicUrl === '' || id === null ? [] : [`${publicUrl}/static/admin.html#/line_items/${id}`]),
  ].join('\n');
};
