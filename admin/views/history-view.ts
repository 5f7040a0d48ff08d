import { html, type TemplateResult } from 'lit-html';
import { linkTo } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { emptyState, loading, pageHead, problemNote } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import type { Kind, Problem } from '../service/wire.ts';
import { moment } from '../words/formats.ts';

/** GET /api/audit: one change. */
interface Change {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly entity: string;
  readonly entity_id: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

const KIND_OF: Readonly<Record<string, Kind>> = {
  publisher: 'publishers',
  placement: 'placements',
  campaign: 'campaigns',
  line_item: 'line_items',
  creative: 'creatives',
};

const WORDS: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  rotate_key: 'new API key',
  block: 'blocked',
  unblock: 'unblocked',
};
const MOST = 200;

/** Who changed what, newest first. */
export const openHistory = (page: Page): View => {
  let changes: readonly Change[] | undefined;
  let problem: Problem | undefined;
  void page.api.get<readonly Change[]>(`/audit?limit=${MOST}`).then((answer) => {
    changes = answer.ok ? answer.value : undefined;
    problem = answer.ok ? undefined : answer.problem;
    page.redraw();
  });
  return {
    title: 'History',
    section: 'history',
    render: () => html`
      ${pageHead('History', `The last ${MOST} changes to what is booked, times in UTC.`)}
      ${
        problem
          ? problemNote(problem)
          : !changes
            ? loading()
            : changes.length === 0
              ? emptyState('Nothing has been changed yet.')
              : table({
                  caption: 'Changes',
                  rows: changes,
                  columns: [
                    { label: 'When', cell: ({ at }) => moment(at) },
                    { label: 'Who', cell: ({ actor }) => actor },
                    { label: 'What', cell: ({ action }) => WORDS[action] ?? action },
                    { label: 'Of', cell: named },
                    { label: 'Fields', cell: differences },
                  ],
                })
      }
    `,
  };
};

const named = ({ entity, entity_id, action, before, after }: Change): TemplateResult | string => {
  const name = (after ?? before)?.['name'];
  const text = `${entity.replaceAll('_', ' ')} ${typeof name === 'string' && name !== '' ? `“${name}”` : entity_id}`;
  const kind = KIND_OF[entity];
  return kind && action !== 'delete' ? html`<a href=${linkTo(kind, entity_id)}>${text}</a>` : text;
};

const SHOWN = 60;
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : value == null ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
};

const differences = ({ before, after }: Change): TemplateResult | string => {
  if (!before || !after) return '';
  const changed = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return html`${changed.map((name) => html`<div class="change"><b>${name.replaceAll('_', ' ')}</b> ${shown(before[name])} → ${shown(after[name])}</div>`)}`;
};
