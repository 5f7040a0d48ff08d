import { boolean, numberOf, orNull } from '../../base/schema.ts';
import { BUDGET_TYPE_WORDS } from '../model/choices.ts';
import { classesThatLeave } from '../model/line-item-classes.ts';
import { field } from './field.ts';
import { amount, chosen } from './parts.ts';

/** The fields of a line item that say what its impressions and clicks cost. */
export const PRICES = {
  added_value: field({
    schema: { ...boolean, default: false, description: 'true: given without a price, as Flat without a fee; reports show it apart' },
    only: 'direct',
    form: {
      label: 'Added value',
      when: { class: classesThatLeave('budget'), added_value: ['false'] },
      help: 'Given on top of what was sold: it bills nothing, and reports show it apart.',
    },
  }),
  budget_type: field({
    ...chosen(BUDGET_TYPE_WORDS, { default: 'CPM', description: 'CPM for a programmatic line item' }),
    view: ['budgetType', 'oneOf'],
    // Hidden for a programmatic line item, and then saved as the default: CPM.
    form: { label: 'Budget type', wide: true, when: { type: ['direct'], class: classesThatLeave('budget_type'), added_value: ['false'] } },
  }),
  cpm: field({
    schema: amount(
      'per thousand impressions, with VCPM per thousand viewable ones, at most 3 decimals; with Flat, the value to rank by',
      100_000,
    ),
    stored: 'micros',
    // One impression bills a thousandth of the CPM, in whole micros.
    decimals: 3,
    view: ['cpmMicros', 'numberOrNull'],
    form: {
      label: 'Price per thousand (CPM)',
      required: true,
      when: { type: ['direct'], budget_type: ['CPM', 'VCPM', 'Flat'] },
      keptWhileHidden: true,
      variants: [
        {
          when: { budget_type: ['VCPM'] },
          label: 'Price per thousand viewable (vCPM)',
          help: 'Billed when an ad has been in view as the MRC defines it, once, after its impression.',
        },
        {
          when: { budget_type: ['Flat'] },
          label: 'Rank as a CPM of',
          required: false,
          help: 'Empty: it ranks by what is left of its fee.',
        },
      ],
    },
  }),
  cpc: field({
    schema: amount('per click', 100_000),
    stored: 'micros',
    view: ['cpcMicros', 'numberOrNull'],
    form: {
      label: 'Price per click (CPC)',
      required: true,
      when: { type: ['direct'], budget_type: ['CPC'] },
      keptWhileHidden: true,
    },
  }),
  cpcv: field({
    schema: amount('per completed view of a video or sound ad', 100_000),
    stored: 'micros',
    view: ['cpcvMicros', 'numberOrNull'],
    form: {
      label: 'Price per completed view (CPCV)',
      required: true,
      when: { type: ['direct'], budget_type: ['CPCV'] },
      keptWhileHidden: true,
      help: 'Billed when a player reports that a video was played to its end, once, after its impression.',
    },
  }),
  budget: field({
    schema: amount('over the whole flight; with Flat, the fee'),
    stored: 'micros',
    view: ['budgetMicros', 'numberOrNull'],
    form: {
      label: 'Total budget',
      placeholder: 'no limit',
      when: { class: classesThatLeave('budget') },
      help: 'Over the whole flight.',
      variants: [
        {
          when: { type: ['direct'], budget_type: ['Flat'] },
          label: 'Fee',
          placeholder: 'no fee',
          help: 'For the whole flight. Reports spread it evenly over its days.',
        },
      ],
    },
  }),
  list_price: field({
    schema: amount('its price in the rate card, before the discount: per thousand, per click, or the fee'),
    stored: 'micros',
    only: 'direct',
    form: {
      label: 'List price',
      placeholder: 'none',
      when: { added_value: ['false'] },
      help: 'Its price before the discount. Without a discount, for the record.',
    },
  }),
  discount: field({
    schema: orNull(numberOf({ minimum: 0, maximum: 100 }), {
      default: null,
      description: 'per cent off list_price; the price is what is left, and may be left out',
    }),
    only: 'direct',
    form: {
      label: 'Discount',
      placeholder: 'none',
      unit: '%',
      when: { list_price: 'given', added_value: ['false'] },
      help: 'Off the list price. The price is what is left.',
    },
  }),
};
