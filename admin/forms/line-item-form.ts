import { html } from 'lit-html';
import { textOf } from './typed-text.ts';
import { checkField, segmentedField, selectField, switchField } from '../fields/choice-field.ts';
import { countryField } from '../fields/country-field.ts';
import { dateField } from '../fields/date-field.ts';
import { dimensionField } from '../fields/dimension-field.ts';
import { keyValuesField } from '../fields/key-values-field.ts';
import { moneyField, numberField, textField } from '../fields/text-field.ts';
import type { Form } from './form.ts';
import type { Page } from '../page.ts';
import { hashOf } from '../route.ts';
import type { Dimensions } from '../service/wire.ts';
import type { EntityForm } from './entity-form.ts';
import { lineItemDraft, lineItemRecord, WINDOW_UNITS } from './line-item-draft.ts';
import { formSection } from '../parts/form-section.ts';

const TYPES = [
  { value: 'direct', label: 'Direct', note: 'sold by you, its creatives are stored here' },
  { value: 'programmatic', label: 'Programmatic', note: 'a bidder is asked for each ad' },
] as const;

const BUDGET_TYPES = [
  { value: 'CPM', label: 'CPM', note: 'a price per thousand impressions' },
  { value: 'CPC', label: 'CPC', note: 'a price per click' },
  { value: 'Flat', label: 'Flat', note: 'a fixed fee; nothing is billed per event' },
] as const;

const PRIORITIES = [
  { value: '1', label: 'High', note: 'before all others' },
  { value: '2', label: 'Medium', note: 'the usual' },
  { value: '3', label: 'Low', note: 'when nothing else is there' },
] as const;

const PACINGS = [
  { value: 'ASAP', label: 'As soon as possible', note: 'up to today’s caps' },
  { value: 'Even', label: 'Even', note: 'spread over the day' },
  { value: 'PID', label: 'PID', note: 'follows the day with a controller' },
] as const;

const DEVICES = [
  { value: 'desktop', label: 'Desktop' },
  { value: 'mobile', label: 'Mobile' },
  { value: 'tablet', label: 'Tablet' },
] as const;

/** The registered dimensions are those of the running service, so the form is made for them. */
export const lineItemForm = (dimensions: () => Dimensions): EntityForm<'line_items'> => ({
  kind: 'line_items',
  draftOf: lineItemDraft,
  recordOf: (draft) => lineItemRecord(draft, dimensions()),
  missing: (store) =>
    store.all('campaigns').length === 0
      ? {
          text: 'A line item runs in a campaign, and there is no campaign yet.',
          label: 'Add a campaign',
          hash: hashOf(['campaigns', 'new']),
        }
      : undefined,
  fields: (form, page) => html` ${booking(form, page)} ${price(form)} ${delivery(form)} ${targeting(form, dimensions())} `,
  next: ({ id }) => ({
    text: 'Next: what it shows. Without a creative it cannot serve.',
    label: 'Add a creative',
    hash: hashOf(['creatives', 'new'], { line_item_id: id }),
  }),
});

const booking = (form: Form, { store }: Page) =>
  formSection(
    'Booking',
    'What runs, when, and who fills it.',
    html`
      ${textField(form, { pointer: '/name', label: 'Name', placeholder: 'Run of site, desktop' })}
      ${selectField(form, {
        pointer: '/campaign_id',
        label: 'Campaign',
        required: true,
        none: 'Choose a campaign',
        choices: store.all('campaigns').map(({ id, name }) => ({ value: String(id), label: name })),
      })}
      ${dateField(form, { pointer: '/start_date', label: 'Start', required: true, help: 'It serves while both its own flight and its campaign’s run.' })}
      ${dateField(form, { pointer: '/end_date', label: 'End', required: true, help: 'Without a time: through the end of that UTC day.' })}
      ${segmentedField(form, { pointer: '/type', label: 'Type', wide: true, choices: TYPES })}
      ${
        form.read('/type') === 'programmatic'
          ? textField(form, {
              pointer: '/endpoint',
              label: 'Bidder endpoint',
              required: true,
              wide: true,
              inputMode: 'url',
              placeholder: 'https://bidder.example/openrtb',
              help: 'Gets an OpenRTB bid request for each ad that this line item could fill. In development, this service’s own /test/bid always bids.',
            })
          : ''
      }
      ${switchField(form, { pointer: '/active', label: 'Active', help: 'Off: paused. It stays booked and serves nothing.' })}
    `,
  );

const price = (form: Form) => {
  const type = textOf(form.read('/budget_type'));
  const asked = form.read('/type') !== 'programmatic';
  return formSection(
    'Price and priority',
    'Line items are ranked by priority first, then by what a thousand impressions are worth.',
    html`
      ${segmentedField(form, { pointer: '/budget_type', label: 'Budget type', wide: true, choices: BUDGET_TYPES })}
      ${
        type === 'CPC'
          ? moneyField(form, { pointer: '/cpc', label: 'Price per click (CPC)', required: asked })
          : moneyField(form, {
              pointer: '/cpm',
              label: type === 'Flat' ? 'Rank as a CPM of' : 'Price per thousand (CPM)',
              required: asked && type === 'CPM',
              ...(asked ? {} : { help: 'Not needed: a programmatic line item is worth its bid.' }),
            })
      }
      ${moneyField(form, { pointer: '/budget', label: 'Total budget', placeholder: 'no bound', help: 'Over the whole flight. Empty: no bound of its own.' })}
      ${segmentedField(form, { pointer: '/priority', label: 'Priority', wide: true, choices: PRIORITIES })}
    `,
  );
};

const delivery = (form: Form) =>
  formSection(
    'Delivery limits',
    'All of them hold exactly, over all replicas. What is empty is no limit.',
    html`
      ${segmentedField(form, { pointer: '/pacing', label: 'Pacing', wide: true, choices: PACINGS, help: 'Even and PID spread the daily caps, or what the budgets leave for a day.' })}
      ${numberField(form, { pointer: '/daily_impression_cap', label: 'Daily impressions', placeholder: 'no cap', suffix: 'a day' })}
      ${moneyField(form, { pointer: '/daily_spend_cap', label: 'Daily spend', placeholder: 'no cap', suffix: 'a day' })}
      ${numberField(form, { pointer: '/frequency_cap', label: 'Frequency cap', placeholder: 'no cap', suffix: 'per user' })}
      ${
        textOf(form.read('/frequency_cap')) === ''
          ? ''
          : html`<div class="pair">
              ${numberField(form, { pointer: '/frequency_window', label: 'within', required: true })}
              ${selectField(form, { pointer: '/window_unit', label: 'unit', choices: WINDOW_UNITS })}
            </div>`
      }
      ${numberField(form, { pointer: '/rate_limit', label: 'Rate limit', inputMode: 'decimal', placeholder: 'no limit', suffix: 'serves a second' })}
      ${
        textOf(form.read('/rate_limit')) === ''
          ? ''
          : numberField(form, {
              pointer: '/rate_burst',
              label: 'Burst',
              inputMode: 'decimal',
              placeholder: 'as the limit',
              help: 'How many it may serve at once after a quiet moment.',
            })
      }
    `,
  );

const targeting = (form: Form, dimensions: Dimensions) =>
  formSection(
    'Targeting',
    'Every rule given here must hold; within a rule any of its values will do. Nothing given: everybody.',
    html`
      ${countryField(form, { pointer: '/targeting/countries', label: 'Countries', help: 'Visitors whose country is unknown match no country rule.' })}
      ${checkField(form, { pointer: '/targeting/devices', label: 'Devices', choices: DEVICES })}
      ${Object.entries(dimensions).map(([name, dimension]) => dimensionField(form, '/targeting/dimensions', name, dimension))}
      ${keyValuesField(form, {
        pointer: '/targeting/key_values',
        label: 'Key-values',
        wide: true,
        help: 'Free names and values that your pages send in ext.kv. They are not checked.',
      })}
    `,
  );
