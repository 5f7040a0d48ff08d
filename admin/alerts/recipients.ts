import { html, nothing, type TemplateResult } from 'lit-html';
import { ALERT_KIND_NAMES, type AlertKind } from '../../src/catalog/model/alert-kinds.ts';
import { ALERT_KINDS } from '../words/choice-words.ts';
import type { RecipientWire } from '../../src/alerts/alert-api.ts';
import { recordChoice } from '../bookings/lists/record-choice.ts';
import type { Page } from '../page.ts';
import { button, card, toggleButton } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import { addressesOf, addressFields, lastWords, recordForm, typedOf, type TypedAddresses } from '../reports/delivery-form.ts';
import { createOwnRecords, type OwnRecords } from '../reports/own-records.ts';
import { titleIn } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

/** What the form holds: texts as typed. */
interface Draft extends TypedAddresses {
  readonly id: number | undefined;
  readonly kinds: readonly AlertKind[];
  readonly publisher: string;
  readonly digest: boolean;
}

const NEW: Draft = { id: undefined, kinds: ALERT_KIND_NAMES, publisher: '', digest: false, emails: '', webhook: '' };

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
    storedWords: () => t`New alerts will be sent there.`,
  });
  const question = { title: t`Delete this recipient?`, text: t`No more alerts are sent there.` };

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
            t`Sent to`,
            table({
              caption: t`Recipients of alerts`,
              rows: records.all(),
              columns: [
                { label: t`Where`, cell: whereWords },
                {
                  label: t`Alerts`,
                  cell: ({ kinds, digest }) =>
                    [...(digest ? [t`What is at risk, each morning`] : []), ...kinds.map((kind) => ALERT_KINDS[kind].label)].join(', '),
                },
                { label: t`Publisher`, cell: ({ publisher_id }) => publisherName(page, publisher_id), minor: true },
                { label: t`Last`, cell: lastWords },
                { label: t`By`, cell: ({ owner }) => owner, minor: true },
              ],
              actions: (one) =>
                !page.rights.may('PUT', '/alert_recipients/{id}')
                  ? html``
                  : html`${button(t`Edit`, () => records.edit(draftOf(one)), 'quiet', t`Edit ${whereWords(one)}`)}
                    ${button(t`Delete`, () => records.remove(one, question), 'quiet', t`Delete ${whereWords(one)}`)}`,
            }),
          ),
  };
};

const draftOf = (recipient: RecipientWire): Draft => ({
  ...{ id: recipient.id, kinds: recipient.kinds, digest: recipient.digest },
  publisher: recipient.publisher_id === null ? '' : String(recipient.publisher_id),
  ...typedOf(recipient),
});

const recordOf = (draft: Draft) => ({
  ...{ kinds: draft.kinds, digest: draft.digest, publisher_id: draft.publisher === '' ? null : Number(draft.publisher) },
  ...addressesOf(draft),
});

const whereWords = ({ emails, webhook }: RecipientWire): string => [...emails, ...(webhook === null ? [] : [webhook])].join(', ');

const publisherName = ({ store }: Page, id: number | null): string => (id === null ? t`all` : titleIn(store, 'publishers', id));

const FIELD_WORDS: Readonly<Record<string, string>> = {
  '': t`Recipient`,
  '/kinds': t`Alerts`,
  '/digest': t`Each morning`,
  '/emails': t`E-mail addresses`,
  '/webhook': t`Webhook`,
};

const recipientForm = (page: Page, draft: Draft, records: OwnRecords<RecipientWire, Draft>): TemplateResult => {
  const { write } = records;
  const toggle = (kind: AlertKind): void =>
    write({ kinds: ALERT_KIND_NAMES.filter((name) => (name === kind) !== draft.kinds.includes(name)) });
  return recordForm(
    draft.id === undefined ? t`Send new alerts` : t`Edit the recipient`,
    records,
    FIELD_WORDS,
    html`${addressFields({
        ...{ typed: draft, write, webhookSample: 'https://gazette.example/alerts' },
        webhookHelp: t`Alerts are posted there as JSON, signed with a secret that is shown once.`,
      })}
      <div class="report-line" role="group" aria-label=${t`Alerts`}>
        <span>${t`Alerts`}</span>
        <div class="toggles">
          ${ALERT_KIND_NAMES.map((kind) => {
            const { label, help } = ALERT_KINDS[kind];
            return toggleButton(label, draft.kinds.includes(kind), () => toggle(kind), { title: help });
          })}
        </div>
      </div>
      <label class="check"
        ><input type="checkbox" .checked=${draft.digest} @change=${() => write({ digest: !draft.digest })} />
        <span>${t`Mail what is at risk each morning at 7:00, as home lists it. Nothing is sent when all is well.`}</span></label
      >
      <label
        >${t`Of`}${recordChoice(page, {
          ...{ kind: 'publishers', label: t`Of`, value: draft.publisher, placeholder: t`All publishers` },
          choose: (publisher) => write({ publisher }),
        })}</label
      >`,
  );
};
