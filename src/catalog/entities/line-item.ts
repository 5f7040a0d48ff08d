import { boolean, listOf, numberOf, orNull, recordId, schemaFor, textOf } from '../../base/schema.ts';
import { LINE_ITEM_TYPE_WORDS, PRIORITY_WORDS, ROTATION_WORDS, type Priority } from '../model/choices.ts';
import { CLASS_WORDS, classesThatLeave, LINE_ITEM_CLASSES, type LineItemClass } from '../model/line-item-classes.ts';
import { defineEntity } from './define-entity.ts';
import { DELIVERY_LIMITS, DELIVERY_LIMITS_SECTION } from './delivery-limits.ts';
import { DEMAND } from './demand.ts';
import type { RecordOf } from './field.ts';
import { ARCHIVED, chosen, END_DATE, EXTERNAL_KEY, ID, objectOf, START_DATE } from './parts.ts';
import { MAX_PLACEMENTS_OF_CREATIVE } from './creative.ts';
import { placementIdSchema } from './placement.ts';
import { PRICES } from './prices.ts';
import { SCHEDULE } from './schedule.ts';
import { TARGETING } from './targeting.ts';

export const LINE_ITEM = defineEntity({
  one: 'line item',
  many: 'Line items',
  fields: {
    id: ID,
    campaign_id: {
      schema: recordId,
      parent: 'campaigns',
      fixed: 'once served',
      view: ['campaignId', 'owner'],
      form: { label: 'Campaign' },
    },
    name: {
      schema: textOf({ maxLength: 256, default: '' }),
      view: ['name', 'text'],
      form: { label: 'Name', placeholder: 'Run of site, desktop' },
    },
    type: {
      ...chosen(LINE_ITEM_TYPE_WORDS, { default: 'direct' }),
      view: ['type', 'oneOf'],
      form: { label: 'Type', wide: true },
    },
    class: {
      schema: schemaFor<LineItemClass | null>({
        type: ['string', 'null'],
        enum: [...LINE_ITEM_CLASSES, null],
        default: null,
        description: 'what it was sold as: gives the defaults of priority, share of voice, pacing and price, and narrows them; null: none',
      }),
      choices: CLASS_WORDS,
      view: ['class', 'oneOf'],
      form: {
        label: 'Class',
        wide: true,
        none: { label: 'None', note: 'every setting by hand' },
        help: 'What it was sold as. It decides or narrows priority, share of voice, pacing, price and goal.',
      },
    },
    active: {
      schema: boolean,
      form: { label: 'Active', initial: true, help: 'Off: paused. It stays booked and does not serve.' },
    },
    start_date: { ...START_DATE, form: { label: 'Start', help: 'It serves only while its campaign’s flight runs, too.' } },
    end_date: END_DATE,
    ...PRICES,
    priority: {
      schema: schemaFor<Priority | null>({
        type: ['integer', 'null'],
        enum: [1, 2, 3, null],
        default: null,
        description: '1 first; null counts as 2',
      }),
      choices: PRIORITY_WORDS,
      view: ['priority', 'oneOf', 2],
      form: { label: 'Priority', wide: true, initial: 2, when: { class: classesThatLeave('priority') } },
    },
    share_of_voice: {
      schema: orNull(numberOf({ exclusiveMinimum: 0, maximum: 100 }), {
        default: null,
        description: 'per cent of the requests that it could serve, at priority 1: it gets these before all others, and none of the rest',
      }),
      only: 'direct',
      form: {
        label: 'Share of voice',
        placeholder: 'none',
        unit: '%',
        when: { priority: ['1'], class: classesThatLeave('share_of_voice') },
        help: 'Of the requests that it could serve, it gets this part before all others, and none of the rest.',
      },
    },
    roadblock: {
      schema: { ...boolean, default: false, description: 'all its placements of a page or none: see Roadblocks' },
      only: 'direct',
      form: {
        label: 'Roadblock',
        initial: false,
        help: 'On: it is shown on all placements of its creatives together, or on none of them. A page has to ask for all of them.',
      },
    },
    rotation: {
      ...chosen(ROTATION_WORDS, {
        default: 'weighted',
        description:
          'how its creatives share its impressions; weighted: by their weights; optimised: by the chance of each to have the highest click-through rate, learned at each catalog load; sequence: to each user in the order of their steps, by the frequency cap of the line item',
      }),
      view: ['rotation', 'oneOf'],
      form: {
        label: 'Rotation of creatives',
        wide: true,
        help: 'Optimised learns from the net clicks of the last 30 days, and keeps trying every creative a little.',
      },
    },
    ...DELIVERY_LIMITS,
    ...SCHEDULE,
    placement_ids: {
      schema: listOf(placementIdSchema, {
        maxItems: MAX_PLACEMENTS_OF_CREATIVE,
        uniqueItems: true,
        default: [],
        description: 'where it runs: a creative without placements of its own is on those of them that it fits',
      }),
      parent: 'placements',
      form: {
        label: 'Placements',
        itemLabel: 'Placement',
        wide: true,
        help: 'Where it runs. Each of its creatives that names no placements is on those of them that it fits, by size and format.',
      },
    },
    targeting_id: {
      schema: orNull(recordId, { default: null, description: 'a targeting of the publisher, whose rules must be met besides its own' }),
      parent: 'targetings',
      form: {
        label: 'Named targeting',
        wide: true,
        placeholder: 'None: only the rules below',
        help: 'Rules that line items share. They apply besides the ones below.',
      },
    },
    targeting: { schema: objectOf(TARGETING, { default: {} }), stored: 'json', members: TARGETING },
    ...DEMAND,
    external_key: EXTERNAL_KEY,
    archived: ARCHIVED,
  },
  answered: {
    make_good_for: orNull(recordId, {
      description: 'the line item whose missing impressions or clicks it carries; set by POST /api/line_items/{id}/make_good',
    }),
  },
  columns: ['make_good_for'],
  about: 'What runs in a campaign: its visitors, price and limits.',
  list: {
    columns: ['campaign_id', 'priority', 'daily_impression_cap'],
    searched: ['name', 'external_key'],
    sorted: [
      ...['id', 'name', 'start_date', 'end_date', 'status', 'campaign_id', 'class', 'price', 'priority'],
      ...['daily_impression_cap', 'impressions_today', 'impressions_week', 'spend_today'],
    ],
    filtered: ['class', 'type', 'pacing', 'budget_type', 'priority'],
    together: ['cpm', 'priority', 'daily_impression_cap', 'end_date'],
  },
  sections: [
    {
      title: 'Booking',
      text: 'What runs, when, and where its ads come from.',
      fields: [
        'name',
        'campaign_id',
        'class',
        'start_date',
        'end_date',
        'type',
        'placement_ids',
        'bidder_id',
        'endpoint',
        'gvl_id',
        'notice_hosts',
        'active',
        'external_key',
        'archived',
      ],
    },
    {
      title: 'Price and priority',
      text: 'Line items are ranked by priority first, then by the value of a thousand impressions.',
      fields: [
        ...['added_value', 'budget_type', 'list_price', 'discount', 'cpc', 'cpcv', 'cpm', 'budget'],
        ...['rotation', 'priority', 'share_of_voice', 'roadblock', 'floor', 'value_cpm', 'deal_id'],
      ] as const,
    },
    DELIVERY_LIMITS_SECTION,
    {
      title: 'Day-parts',
      text: 'At which hours of the week it serves.',
      fields: ['schedule', 'schedule_zone'],
    },
    {
      title: 'Targeting',
      text: 'A visitor must match every rule; one value of a rule is enough. Without rules, every visitor matches.',
      fields: ['targeting_id', 'targeting'],
    },
  ],
});
export type LineItemRecord = RecordOf<(typeof LINE_ITEM)['fields']>;
