import { schemaOf } from '../../api/columns.ts';
import { component } from '../../api/component.ts';
import { idInPath } from '../../api/parameters.ts';
import { at, defineRoutes, noContent, OF_ONESELF, ok } from '../../api/route.ts';
import * as s from '../../base/schema.ts';
import { INBOX_REMARK_COLUMNS, type InboxRemark } from '../../proofing/proof-store.ts';
import { MENTION_COLUMNS, type Mention } from './mention-store.ts';

const mention: Mention = {
  ...{ id: 8, at: '2026-10-14T12:00:00.000Z', by: 'ann@gazette.example', text: '@editor: can this run on Sunday, too?' },
  ...{ entity: 'line_item', entity_id: 5, name: 'Boots' },
};
const proof: InboxRemark = {
  ...{ id: 7, at: '2026-10-15T09:30:00.000Z', author: 'Bea, Boots of the North', verdict: 'changes', text: 'The price has to be 79.' },
  ...{ creative_id: 9, name: 'Boots, wide' },
};
const INBOX = component(
  'Inbox',
  s.record({
    approvals: s.described(s.count, 'Changes of others that the caller may approve'),
    mentions: s.described(s.listOf(component('Mention', schemaOf(MENTION_COLUMNS), mention)), 'Newest first'),
    proofs: s.listOf(component('InboxRemark', schemaOf(INBOX_REMARK_COLUMNS), proof), {
      description: 'What advertisers said of their ads by links of the caller, newest first',
    }),
  }),
  { approvals: 2, mentions: [mention], proofs: [proof] },
);
const READER = component('Mentionable', s.record({ name: s.text, email: s.text }), { name: 'Editor', email: 'editor@gazette.example' });

const ofRecord = {
  needs: 'comments.write',
  reach: 'publishers',
  summary: 'Who reads the record, and so can be mentioned in a comment: @ and the name, or the first part of the e-mail address',
  answer: ok('They', s.listOf(READER)),
} as const;

/** What waits for people, and mentions in comments. */
export const MENTION_API = defineRoutes({
  getInbox: {
    ...at('GET', '/api/me/inbox', 'people', OF_ONESELF),
    summary: 'What waits for you. Nothing waits for tokens.',
    answer: ok('The inbox', INBOX),
  },
  removeMention: {
    ...at('DELETE', '/api/me/mentions/{id}', 'people', OF_ONESELF),
    summary: 'Take a mention out of your inbox',
    parameters: { id: idInPath('mention of you') },
    answer: noContent('Taken out'),
  },
  listReadersOfCampaign: {
    ...at('GET', '/api/campaigns/{id}/readers', 'campaigns', ofRecord),
    parameters: { id: idInPath('campaign') },
  },
  listReadersOfLineItem: {
    ...at('GET', '/api/line_items/{id}/readers', 'line_items', ofRecord),
    parameters: { id: idInPath('line item') },
  },
});
