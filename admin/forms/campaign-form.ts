import { html } from 'lit-html';
import { numberOf, textOf } from './typed-text.ts';
import { selectField } from '../fields/choice-field.ts';
import { dateField } from '../fields/date-field.ts';
import { moneyField, textField } from '../fields/text-field.ts';
import { hashOf } from '../route.ts';
import type { EntityForm } from './entity-form.ts';
import { formSection } from '../parts/form-section.ts';

const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

export const campaignForm: EntityForm<'campaigns'> = {
  kind: 'campaigns',
  draftOf: ({ publisher_id, name, start_date, end_date, budget }, store) => ({
    publisher_id: textOf(publisher_id ?? (store.all('publishers').length === 1 ? store.all('publishers')[0]?.id : '')),
    name: textOf(name),
    start_date: start_date ?? day(0),
    end_date: end_date ?? day(30),
    budget: textOf(budget),
  }),
  recordOf: ({ publisher_id, name, start_date, end_date, budget }) => ({
    publisher_id: numberOf(publisher_id),
    name: textOf(name).trim(),
    start_date,
    end_date,
    budget: numberOf(budget),
  }),
  missing: (store) =>
    store.all('publishers').length === 0
      ? {
          text: 'A campaign runs on a publisher’s pages, and there is no publisher yet.',
          label: 'Add a publisher',
          hash: hashOf(['publishers', 'new']),
        }
      : undefined,
  fields: (form, { store }) =>
    formSection(
      'Campaign',
      'Holds line items together: one publisher, one flight, one budget.',
      html`
        ${textField(form, { pointer: '/name', label: 'Name', required: true, placeholder: 'Spring sale' })}
        ${selectField(form, {
          pointer: '/publisher_id',
          label: 'Publisher',
          required: true,
          none: 'Choose a publisher',
          choices: store.all('publishers').map(({ id, name }) => ({ value: String(id), label: name })),
        })}
        ${dateField(form, { pointer: '/start_date', label: 'Start', required: true, help: 'Without a time: from the beginning of that UTC day.' })}
        ${dateField(form, { pointer: '/end_date', label: 'End', required: true, help: 'Without a time: through the end of that UTC day.' })}
        ${moneyField(form, {
          pointer: '/budget',
          label: 'Budget',
          help: 'Bounds the sum of its line items. Empty: no bound of its own.',
          placeholder: 'no bound',
        })}
      `,
    ),
  next: ({ id }) => ({
    text: 'Next: say what runs in it, and at what price.',
    label: 'Add a line item',
    hash: hashOf(['line_items', 'new'], { campaign_id: id }),
  }),
};
