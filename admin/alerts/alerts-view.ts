import { html, nothing, type TemplateResult } from 'lit-html';
import type { AlertKind } from '../../src/catalog/model/alert-kinds.ts';
import { ALERT_KINDS } from '../words/choice-words.ts';
import type { AlertWire, MuteWire } from '../../src/alerts/alert-api.ts';
import type { Answer } from '../api/wire.ts';
import { createRecipients } from './recipients.ts';
import type { Page, View } from '../page.ts';
import { button, card, emptyState, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { table, unbroken, type Column } from '../parts/table.ts';
import { moment, withDates } from '../words/dates.ts';
import { hashOf } from '../route.ts';
import { t } from '../words/texts.ts';

const MUTE_DAYS = 7;
const PLURALS = { line_item: 'line_items', campaign: 'campaigns', creative: 'creatives', approval: 'approvals' } as const;

/** The name of the record leads to it, and what is said about it follows. */
const what = ({ entity, entity_id, words }: AlertWire): TemplateResult | string => {
  const said = withDates(words);
  if (entity === 'books') return said;
  const [, before = '', name, after] = /^(.*?)“(.+?)”(.*)$/s.exec(said) ?? [];
  const link = (text: string) => html`<a class="name" href=${hashOf([PLURALS[entity], entity_id])}>${text}</a>`;
  return name === undefined ? link(said) : html`${before}${link(name)}${after}`;
};

const COLUMNS: readonly Column<AlertWire>[] = [
  {
    label: t`Alert`,
    cell: ({ kind, closed_at }) => html`<span class="pill ${closed_at === null ? 'warn' : 'quiet'}">${ALERT_KINDS[kind].label}</span>`,
  },
  { label: t`What`, prose: true, cell: what },
  { label: t`Since`, cell: ({ opened_at }) => unbroken(moment(opened_at)) },
];
const PAST: readonly Column<AlertWire>[] = [...COLUMNS, { label: t`Until`, cell: ({ closed_at }) => unbroken(moment(closed_at ?? '')) }];

/** What needs attention, what this person has muted, and to whom alerts are sent. */
export const openAlerts = (page: Page): View => {
  const alerts = createReading(page, (api) => api.get('/alerts'));
  const mutes = createReading(page, (api) => api.get('/alert_mutes'));
  const recipients = createRecipients(page);
  void recipients.load();

  const change = async (sent: Promise<Answer<unknown>>): Promise<void> => {
    const answer = await sent;
    if (!answer.ok) return page.complain(answer.problem);
    await Promise.all([alerts.load(), mutes.load()]);
  };
  const mute = (kind: AlertKind, entity_id: string, days: number | null): Promise<void> =>
    change(page.api.send('PUT', '/alert_mutes', { body: { kind, entity_id, days } }));
  const unmute = ({ kind, entity_id }: MuteWire): Promise<void> => change(page.api.send('DELETE', '/alert_mutes', { kind, entity_id }));
  const actions = ({ kind, entity_id, words }: AlertWire): TemplateResult =>
    html`${button(t`Mute for a week`, () => mute(kind, entity_id, MUTE_DAYS), 'quiet', t`Mute for a week: ${words}`)}
    ${button(t`Mute all like this`, () => mute(kind, '', null), 'quiet', t`Mute all like this: ${ALERT_KINDS[kind].label}`)}`;

  return {
    title: t`Alerts`,
    section: 'alerts',
    render: () => html`
      ${pageHead(
        t`Alerts`,
        t`What needs attention now. Looked for once a minute.`,
        page.rights.may('POST', '/alert_recipients') ? button(t`Send them to…`, () => recipients.add(), 'secondary') : nothing,
      )}
      ${recipients.form()}
      ${alerts.render((rows) => {
        const open = rows.filter(({ closed_at, muted }) => closed_at === null && !muted);
        const muted = rows.filter((row) => row.closed_at === null && row.muted);
        const closed = rows.filter(({ closed_at }) => closed_at !== null).slice(0, 50);
        return html`
          ${open.length === 0 ? emptyState(t`Nothing needs attention.`) : table({ caption: t`Open alerts`, rows: open, columns: COLUMNS, actions })}
          ${muted.length > 0 ? card(t`Muted by you`, table({ caption: t`Muted alerts`, rows: muted, columns: COLUMNS })) : nothing}
          ${closed.length > 0 ? card(t`Closed lately`, table({ caption: t`Closed alerts`, rows: closed, columns: PAST })) : nothing}
        `;
      })}
      ${mutes.render((rows) => (rows.length > 0 ? mutesCard(rows, unmute) : html``))} ${recipients.list()}
    `,
  };
};

const mutesCard = (rows: readonly MuteWire[], unmute: (mute: MuteWire) => unknown): TemplateResult =>
  card(
    t`What you have muted`,
    table({
      caption: t`Mutes`,
      rows,
      columns: [
        { label: t`Alerts`, cell: ({ kind }) => ALERT_KINDS[kind].label },
        { label: t`Of`, cell: ({ entity_id }) => (entity_id === '' ? t`all` : `#${entity_id}`) },
        { label: t`Until`, cell: ({ until }) => (until === null ? t`you take it back` : moment(until)) },
      ],
      actions: (row) => button(t`Unmute`, () => unmute(row), 'quiet', t`Unmute ${ALERT_KINDS[row.kind].label}`),
    }),
  );
