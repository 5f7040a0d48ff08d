import { html, nothing, type TemplateResult } from 'lit-html';
import { ALERT_KIND_NAMES, ALERT_KINDS, type AlertKind } from '../../src/catalog/model/alert-kinds.ts';
import type { RecipientWire } from '../../src/alerts/alert-api.ts';
import { recordChoice } from '../bookings/lists/record-choice.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import { addressesOf, addressFields, lastWords, recordForm, typedOf, type TypedAddresses } from '../reports/delivery-form.ts';
import { createOwnRecords, type OwnRecords } from '../reports/own-records.ts';
import { titleOf } from '../words/kinds.ts';

/** What the form holds: texts as typed. */
interface Draft extends TypedAddresses {
  readonly id: number | undefined;
  readonly kinds: readonly AlertKind[];
  readonly publisher: string;
}

const NEW: Draft = { id: undefined, kinds: ALERT_KIND_NAMES, publisher: '', emails: '', webhook: '' };

/** To whom alerts are sent, and the form for one of them. */
export const createRecipients = (page: Page) => {
  const records = createOwnRecords<RecipientWire, Draft>({
    ...{ page, signatureHeader: 'X-Alerts-Signature' },
    list: () => page.api.get('/alert_recipients'),
    save: (draft) =>
      draft.id === undefined
        ? page.api.send('POST', '/alert_recipients', { body: recordOf(draft) })
        : page.api.send('PUT', '/alert_recipients/{id}', { id: draft.id, body: recordOf(draft) }),
    drop: (id) => page.api.send('DELETE', '/alert_recipients/{id}', { id }),
    storedWords: () => 'New alerts will be sent there.',
  });
  const question = { title: 'Delete this recipient?', text: 'No more alerts are sent there.' };

  return {
    load: async () => {
      if (!page.rights.may('GET', '/alert_recipients')) return;
      await records.load();
      const problem = await page.store.ensure('publishers', ...records.all().flatMap(({ publisher_id }) => publisher_id ?? []));
      if (problem) page.complain(problem);
      page.redraw();
    },
    /** Opens the form for a new one. */
    add: () => records.edit(NEW),
    /** The form, while it is open. */
    form: () => {
      const draft = records.draft();
      return draft ? recipientForm(page, draft, records) : nothing;
    },
    list: () =>
      records.all().length === 0
        ? nothing
        : card(
            'Sent to',
            table({
              caption: 'Recipients of alerts',
              rows: records.all(),
              columns: [
                { label: 'Where', cell: whereWords },
                { label: 'Alerts', cell: ({ kinds }) => kinds.map((kind) => ALERT_KINDS[kind].label).join(', ') },
                { label: 'Publisher', cell: ({ publisher_id }) => publisherName(page, publisher_id), minor: true },
                { label: 'Last', cell: lastWords },
                { label: 'By', cell: ({ owner }) => owner, minor: true },
              ],
              actions: (one) =>
                !page.rights.may('PUT', '/alert_recipients/{id}')
                  ? html``
                  : html`${button('Edit', () => records.edit(draftOf(one)), 'quiet', `Edit ${whereWords(one)}`)}
                    ${button('Delete', () => records.remove(one, question), 'quiet', `Delete ${whereWords(one)}`)}`,
            }),
          ),
  };
};

const draftOf = (recipient: RecipientWire): Draft => ({
  ...{ id: recipient.id, kinds: recipient.kinds },
  publisher: recipient.publisher_id === null ? '' : String(recipient.publisher_id),
  ...typedOf(recipient),
});

const recordOf = (draft: Draft) => ({
  ...{ kinds: draft.kinds, publisher_id: draft.publisher === '' ? null : Number(draft.publisher) },
  ...addressesOf(draft),
});

const whereWords = ({ emails, webhook }: RecipientWire): string => [...emails, ...(webhook === null ? [] : [webhook])].join(', ');

const publisherName = ({ store }: Page, id: number | null): string => {
  if (id === null) return 'all';
  const found = store.find('publishers', id);
  return found ? titleOf('publishers', found) : `#${id}`;
};

const FIELD_WORDS: Readonly<Record<string, string>> = {
  '': 'Recipient',
  '/kinds': 'Alerts',
  '/emails': 'E-mail addresses',
  '/webhook': 'Webhook',
};

const recipientForm = (page: Page, draft: Draft, records: OwnRecords<RecipientWire, Draft>): TemplateResult => {
  const { write } = records;
  const toggle = (kind: AlertKind): void =>
    write({ kinds: ALERT_KIND_NAMES.filter((name) => (name === kind) !== draft.kinds.includes(name)) });
  return recordForm(
    draft.id === undefined ? 'Send new alerts' : 'Edit the recipient',
    records,
    FIELD_WORDS,
    html`${addressFields({
        ...{ typed: draft, write, webhookSample: 'https://gazette.example/alerts' },
        webhookHelp: 'Alerts are posted there as JSON, signed with a secret that is shown once.',
      })}
      <div class="report-line" role="group" aria-label="Alerts">
        <span>Alerts</span>
        <div class="toggles">
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
      </div>
      <label
        >Of${recordChoice(page, {
          ...{ kind: 'publishers', label: 'Of', value: draft.publisher, placeholder: 'All publishers' },
          choose: (publisher) => write({ publisher }),
        })}</label
      >`,
  );
};
