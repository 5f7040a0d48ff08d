import { html, type TemplateResult } from 'lit-html';
import type { AuditRow } from '../../src/bookings/audit-api.ts';
import { actorName } from '../words/actor-name.ts';
import { describeCounts, kindNamed, linkTo } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { emptyState, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { address, table, unbroken, type Column } from '../parts/table.ts';
import type { Dimensions } from '../api/wire.ts';
import { moment } from '../words/dates.ts';
import { fieldChanges, valueWords } from './field-changes.ts';
import { changedFields, undoButton } from './undo-change.ts';
import { rich, say, t } from '../words/texts.ts';

const WORDS: Readonly<Record<string, string>> = {
  create: t`created`,
  update: t`changed`,
  delete: t`deleted`,
  restore: t`restored`,
  rotate_key: t`new API key`,
  block: t`blocked`,
  unblock: t`unblocked`,
  grant_debug: t`debug link`,
  share_report: t`shared a report`,
  share_proof: t`shared a proof`,
  answer_proof: t`said in a proof`,
  close_month: t`closed a month`,
  export_events: t`exported events`,
  rebuild_counters: t`began to rebuild the counters`,
};
const MAX_CHANGES = 200;

/** The last changes with their authors, newest first. */
export const openHistory = (page: Page): View => {
  const changes = createReading(page, (api) => api.get('/audit', { limit: MAX_CHANGES }));
  return {
    title: t`History`,
    section: 'history',
    render: () => html`
      ${pageHead(t`History`, t`The last ${MAX_CHANGES} changes.`)}
      ${changes.render((rows) =>
        rows.length === 0
          ? emptyState(t`No changes yet. Every change that people make is listed here, with a way back.`)
          : table({
              caption: t`Changes`,
              rows,
              columns: columnsWith(page.store.dimensions()),
              actions: (row) => html`${undoButton(page, kindNamed(row.entity), row, changes.load)}`,
            }),
      )}
    `,
  };
};

const named = ({ entity, entity_id, exists, before, after }: AuditRow): TemplateResult | string => {
  const name = (after ?? before)?.['name'];
  const text = `${say(entity.replaceAll('_', ' '))} ${typeof name === 'string' && name !== '' ? `“${name}”` : entity_id}`;
  const kind = kindNamed(entity);
  return kind && exists ? html`<a href=${linkTo(kind, entity_id)}>${text}</a>` : text;
};

/** With a deletion or its undoing: what went with the record. */
const withIt = (change: AuditRow): string => {
  const counts = (change.after ?? change.before)?.[change.action === 'restore' ? 'restored_with_it' : 'deleted_with_it'];
  const words = describeCounts(counts ?? {});
  return words && t`with ${words}`;
};

/** In words: a change of who pays is not one of the past. */
const payerNote = ({ entity, at, before, after }: AuditRow): string => {
  if (entity !== 'campaign' || !before || !after || before['advertiser_id'] === after['advertiser_id']) return '';
  return before['advertiser_id'] === null
    ? t`What was counted before is for this advertiser too.`
    : t`What was counted before ${moment(at)} stays with advertiser ${valueWords(before['advertiser_id'])}.`;
};

const differences = (change: AuditRow, dimensions: Dimensions): TemplateResult | string => {
  const { entity, before, after } = change;
  if (!before || !after) return withIt(change);
  const changes = changedFields({ before, after }).map((name) => ({ name, before: before[name], after: after[name] }));
  return html`${fieldChanges(kindNamed(entity), changes, dimensions)}${payerNote(change)}`;
};

const why = ({ note }: AuditRow): TemplateResult | string => (note === null ? '' : html`<div class="change"><i>“${note}”</i></div>`);

/** With the second person, where one was needed, and from where it was changed, where that is known. */
const who = ({ actor, approved_by: second, network, device }: AuditRow): TemplateResult => {
  const from = [device, network].filter(Boolean).join(' · ');
  return html`${address(actorName(actor))}${second === null ? '' : html`<br /><small>${rich`approved by ${address(actorName(second))}`}</small>`}${from && html`<br /><small class="muted">${from}</small>`}`;
};

const columnsWith = (dimensions: Dimensions): readonly Column<AuditRow>[] => [
  { label: t`When`, cell: ({ at }) => unbroken(moment(at)) },
  { label: t`Who`, cell: who },
  { label: t`Change`, cell: ({ action }) => WORDS[action] ?? action },
  { label: t`Record`, cell: named },
  { label: t`Fields`, prose: true, cell: (change) => html`${differences(change, dimensions)}${why(change)}` },
];
