import type { AttentionKind } from '../attention/attention.ts';

/** The groups of what needs attention, on the home screen and in mails. */
export const ATTENTION_WORDS = {
  cannot_serve: { title: 'Cannot serve' },
  behind: { title: 'Behind' },
  limited: { title: 'Behind, because of a cap or a budget' },
  outranked: { title: 'Always outranked' },
  will_miss: { title: 'Will miss its goal' },
  complaints: { title: 'Complaints about creatives' },
  not_played: { title: 'Videos that players do not play' },
  pending_creatives: { title: 'Creatives to approve' },
  ends_soon: { title: 'Ends soon' },
  quarantined: { title: 'Rows that are set aside' },
  rebuilding: { title: 'Counters being rebuilt' },
  drift: { title: 'Counts that differed' },
  dead_events: { title: 'Events that cannot be stored' },
} as const satisfies Record<AttentionKind, { readonly title: string }>;

/** Line items that bring less than what was agreed if they go on like this. */
export const BY_MONEY: readonly AttentionKind[] = ['cannot_serve', 'behind', 'limited', 'outranked', 'will_miss'];
