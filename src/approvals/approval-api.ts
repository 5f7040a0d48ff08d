import { schemaOf } from '../api/columns.ts';
import { component } from '../api/component.ts';
import { pagedList } from '../api/paged-list.ts';
import { choiceQuery, idInPath, textQuery } from '../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { OPERATION } from '../bookings/bulk-api.ts';
import { APPROVAL_COLUMNS, APPROVAL_DAYS, APPROVAL_STATES, type Approval } from './approval-store.ts';

/** A proposal is read by people. */
const MAX_OPERATIONS = 50;
const MAX_WORDS = 2_000;

const operations = [{ method: 'PATCH', path: '/line_items/5', body: { cpm: 0.8 } }] as const;
const stored: Approval = {
  ...{ id: 4, publisher_id: 1, state: 'open', reasons: [{ pointer: '/operations/0/body/cpm', detail: 'is below 1 USD' }] },
  changes: [{ entity: 'line_item', id: 5, before: { id: 5, cpm: 1.2 }, after: { id: 5, cpm: 0.8 } }],
  ...{ note: 'Agreed with the customer for November', proposed_by: 'editor@gazette.example' },
  ...{ proposed_at: '2026-10-14T12:00:00.000Z', expires_at: '2026-10-28T12:00:00.000Z', decided_by: null, decided_at: null, words: null },
};
const APPROVAL = component('Approval', schemaOf(APPROVAL_COLUMNS), stored);
const PROPOSAL = component(
  'Proposal',
  s.closedRecord({
    operations: s.listOf(OPERATION, {
      minItems: 1,
      maxItems: MAX_OPERATIONS,
      description: 'As in a bulk change, of records of one publisher; or one of POST /finance/close',
    }),
    note: s.withDefault(s.textOf({ maxLength: MAX_WORDS, description: 'Why, for who approves' }), ''),
  }),
  { operations: [...operations], note: 'Agreed with the customer for November' },
);
const WORDS = component('DecisionWords', s.closedRecord({ words: s.withDefault(s.textOf({ maxLength: MAX_WORDS }), '') }), {
  words: 'Not before December',
});

const id = idInPath('proposal');
const ofOwn = { reach: 'own' } as const;
/** A proposal shows records whole, so it is not for callers for some advertisers. */
const ofPublishers = { reach: 'publishers' } as const;

/** Changes that a publisher lets a second person approve. */
export const APPROVAL_API = defineRoutes({
  listApprovals: {
    ...at('GET', '/api/approvals', 'people'),
    ...ofPublishers,
    needs: 'history.read',
    summary: 'Proposed changes, the newest first',
    ...pagedList(
      'Proposals',
      APPROVAL,
      {
        state: choiceQuery(APPROVAL_STATES, 'Only those in this state'),
        proposed_by: textQuery('Only those of this person or token'),
        entity: textQuery('Only those that change records of this entity: line_item'),
        entity_id: textQuery('Only those that change the record with this id, with `entity`'),
      },
      { size: { default: 50, max: 200 } },
    ),
  },
  getApproval: {
    ...at('GET', '/api/approvals/{id}', 'people'),
    ...ofPublishers,
    needs: 'history.read',
    summary: 'One proposed change',
    parameters: { id },
    answer: ok('The proposal', APPROVAL),
  },
  proposeChange: {
    ...at('POST', '/api/approvals', 'people'),
    ...ofOwn,
    needs: 'sign_in',
    summary: `Propose a change that was refused with approval_required. It waits for ${APPROVAL_DAYS} days.`,
    body: jsonBody(PROPOSAL, 'The proposal has faults.'),
    answer: created('Proposed', APPROVAL),
  },
  approveChange: {
    ...at('POST', '/api/approvals/{id}/approve', 'people'),
    ...ofPublishers,
    needs: 'changes.approve',
    summary: 'Approve a change of someone else, and carry it out. Refused when a record has changed since.',
    parameters: { id },
    body: jsonBody(WORDS, 'The words have faults.'),
    answer: ok('Carried out', APPROVAL),
  },
  sendBackChange: {
    ...at('POST', '/api/approvals/{id}/send_back', 'people'),
    ...ofPublishers,
    needs: 'changes.approve',
    summary: 'Refuse a change, in words',
    parameters: { id },
    body: jsonBody(WORDS, 'The words have faults.'),
    answer: ok('Sent back', APPROVAL),
  },
  withdrawChange: {
    ...at('POST', '/api/approvals/{id}/withdraw', 'people'),
    ...ofOwn,
    needs: 'sign_in',
    summary: 'Withdraw a change that you have proposed',
    parameters: { id },
    answer: ok('Withdrawn', APPROVAL),
  },
});
