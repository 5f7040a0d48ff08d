import { html, nothing, type TemplateResult } from 'lit-html';
import { ALERT_KIND_NAMES, ALERT_KINDS, type AlertKind } from '../../src/catalog/model/alert-kinds.ts';
import type { RecipientWire } from '../../src/trafficking/alerts/alert-routes.ts';
import { input } from '../fields/input.ts';
import type { Page } from '../page.ts';
import { showWebhookSecret } from '../parts/dialogs.ts';
import { button, card, problemNote } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import { select } from '../reports/report-controls.ts';
import type { Problem } from '../service/wire.ts';
import { moment } from '../words/formats.ts';
import { titleOf } from '../words/kinds.ts';

export interface Recipients {
  load(): Promise<void>;
  /** Opens the form for a new one. */
  add(): void;
  /** The form, while it is open. */
  form(): TemplateResult | typeof nothing;
  list(): TemplateResult | typeof nothing;
}

/** What the form holds: texts as typed. */
interface Draft {
  readonly id: number | undefined;
  readonly kinds: readonly AlertKind[];
  readonly publisher: string;
  readonly emails: string;
  readonly webhook: string;
}

const NEW: Draft = { id: undefined, kinds: ALERT_KIND_NAMES, publisher: '', emails: '', webhook: '' };

/** To whom alerts are sent, and the form for one of them. */
export const createRecipients = (page: Page): Recipients => {
  let recipients: readonly RecipientWire[] = [];
  let problem: Problem | undefined;
  let draft: Draft | undefined;

  const load = async (): Promise<void> => {
    const answer = await page.api.get<readonly RecipientWire[]>('/alert_recipients');
    if (answer.ok) recipients = answer.value;
    else page.complain(answer.problem);
    page.redraw();
  };
  const edit = (next: Draft | undefined): void => {
    draft = next;
    problem = undefined;
    page.redraw();
    if (next) queueMicrotask(() => document.querySelector<HTMLElement>('.save-report input')?.focus());
  };
  const write = (change: Partial<Draft>): void => {
    draft = draft && { ...draft, ...change };
    page.redraw();
  };
  const store = async (): Promise<void> => {
    if (!draft) return;
    const { id, kinds, publisher, emails, webhook } = draft;
    const record = {
      ...{ kinds, publisher_id: publisher === '' ? null : Number(publisher) },
      ...{ emails: emails.split(/[\s,;]+/).filter(Boolean), webhook: webhook.trim() === '' ? null : webhook.trim() },
    };
    const path = id === undefined ? '/alert_recipients' : `/alert_recipients/${id}`;
    const answer = await page.api.send<RecipientWire>(id === undefined ? 'POST' : 'PUT', path, record);
    if (!answer.ok) {
      problem = answer.problem;
      return page.redraw();
    }
    edit(undefined);
    page.toast('New alerts will be sent there.', { tone: 'good' });
    if (answer.value.webhook_secret !== undefined) await showWebhookSecret(answer.value.webhook_secret, 'X-Alerts-Signature');
    await load();
  };
  const remove = async ({ id }: RecipientWire): Promise<void> => {
    const question = { title: 'Delete this recipient?', text: 'No more alerts are sent there.', yes: 'Delete', dangerous: true };
    if (!(await page.confirm(question))) return;
    const answer = await page.api.send('DELETE', `/alert_recipients/${id}`);
    if (!answer.ok) return page.complain(answer.problem);
    await load();
  };

  return {
    load,
    add: () => edit(NEW),
    form: () => (draft ? recipientForm(page, draft, problem, { write, cancel: () => edit(undefined), store }) : nothing),
    list: () =>
      recipients.length === 0
        ? nothing
        : card(
            'Sent to',
            table({
              caption: 'Recipients of alerts',
              rows: recipients,
              columns: [
                { label: 'Where', cell: whereWords },
                { label: 'Alerts', cell: ({ kinds }) => kinds.map((kind) => ALERT_KINDS[kind].label).join(', ') },
                { label: 'Publisher', cell: ({ publisher_id }) => publisherName(page, publisher_id), minor: true },
                { label: 'Last', cell: lastWords },
                { label: 'By', cell: ({ owner }) => owner, minor: true },
              ],
              actions: (one) =>
                html`${button('Edit', () => edit(draftOf(one)), 'quiet', `Edit ${whereWords(one)}`)}
                ${button('Delete', () => remove(one), 'quiet', `Delete ${whereWords(one)}`)}`,
            }),
          ),
  };
};

const draftOf = ({ id, kinds, publisher_id, emails, webhook }: RecipientWire): Draft => ({
  ...{ id, kinds, publisher: publisher_id === null ? '' : String(publisher_id) },
  ...{ emails: emails.join(', '), webhook: webhook ?? '' },
});

const whereWords = ({ emails, webhook }: RecipientWire): string => [...emails, ...(webhook === null ? [] : [webhook])].join(', ');

const publisherName = ({ store }: Page, id: number | null): string => {
  if (id === null) return 'all';
  const found = store.all('publishers').find((one) => one.id === id);
  return found ? titleOf('publishers', found) : `#${id}`;
};

const lastWords = ({ last_at, last_fault }: RecipientWire): TemplateResult | string => {
  if (last_at === null) return '–';
  return last_fault === null ? `${moment(last_at)} UTC` : html`<span class="pill bad">failed</span> <small>${last_fault}</small>`;
};

interface FormActions {
  readonly write: (change: Partial<Draft>) => void;
  readonly cancel: () => void;
  readonly store: () => Promise<void>;
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  '': 'Recipient',
  '/kinds': 'Alerts',
  '/emails': 'E-mail addresses',
  '/webhook': 'Webhook',
};
const faultWords = (pointer: string, detail: string): string =>
  `${FIELD_WORDS[pointer] ?? FIELD_WORDS[pointer.replace(/\/\d+$/, '')] ?? pointer}: ${detail}`;

const recipientForm = (
  { store: catalog }: Page,
  draft: Draft,
  problem: Problem | undefined,
  { write, cancel, store }: FormActions,
): TemplateResult => {
  const field = (label: string, name: 'emails' | 'webhook', placeholder: string, help = ''): TemplateResult =>
    html`<label
      >${label}${input({ value: draft[name], placeholder, onInput: (typed) => write({ [name]: typed }) })}
      ${help ? html`<small>${help}</small>` : nothing}</label
    >`;
  const publishers = catalog.all('publishers').map((one) => [String(one.id), titleOf('publishers', one)] as const);
  const toggle = (kind: AlertKind): void =>
    write({ kinds: ALERT_KIND_NAMES.filter((name) => (name === kind) !== draft.kinds.includes(name)) });
  return card(
    draft.id === undefined ? 'Send new alerts' : 'Edit the recipient',
    html`<form
      class="save-report"
      novalidate
      @submit=${(event: Event) => {
        event.preventDefault();
        void store();
      }}
    >
      ${
        problem
          ? html`${problemNote(problem)}
              <ul class="faults">
                ${problem.errors.map(({ pointer, detail }) => html`<li>${faultWords(pointer, detail)}</li>`)}
              </ul>`
          : nothing
      }
      ${field('E-mail addresses', 'emails', 'sales@gazette.example, boss@gazette.example')}
      ${field('Webhook', 'webhook', 'https://gazette.example/alerts', 'Alerts are posted there as JSON, signed with a secret that is shown once.')}
      <div class="toggles" role="group" aria-label="Alerts">
        ${ALERT_KIND_NAMES.map(
          (kind) =>
            html`<button
              type="button"
              class="toggle"
              title=${ALERT_KINDS[kind].help}
              aria-pressed=${String(draft.kinds.includes(kind))}
              @click=${() => toggle(kind)}
            >
              ${ALERT_KINDS[kind].label}
            </button>`,
        )}
      </div>
      <label>Of${select('Of', draft.publisher, [['', 'All publishers'], ...publishers], (publisher) => write({ publisher }))}</label>
      <div class="row">${button('Cancel', cancel, 'secondary')}<button>Save</button></div>
    </form>`,
  );
};
