import { boolean, listOf, numberOf, orNull, recordId, schemaFor, textOf } from '../../base/schema.ts';
import { LINE_ITEM_TYPE_WORDS, PRIORITY_WORDS, ROTATION_WORDS, type Priority } from '../model/choices.ts';
import { CLASS_WORDS, classesThatLeave, LINE_ITEM_CLASSES, type LineItemClass } from '../model/line-item-classes.ts';
import { NOTICE_HOSTS_HELP, vendorId } from './bidder.ts';
import { defineEntity } from './define-entity.ts';
import { DELIVERY_LIMITS, DELIVERY_LIMITS_SECTION } from './delivery-limits.ts';
import type { RecordOf } from './field.ts';
import { amount, ARCHIVED, chosen, END_DATE, EXTERNAL_KEY, hosts, ID, objectOf, START_DATE, url } from './parts.ts';
import { MAX_PLACEMENTS_OF_CREATIVE } from './creative.ts';
import { placementIdSchema } from './placement.ts';
import { PRICES } from './prices.ts';
import { SCHEDULE } from './schedule.ts';
import { TARGETING } from './targeting.ts';

/** A programmatic line item without a bidder: what it says of its bidder itself. */
const SHORT_FORM = { bidder_id: [''] };

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
          'how its creatives share its impressions; weighted: by their weights; optimised: by the chance of each to have the highest click-through rate, learned at each catalog load',
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
    bidder_id: {
      schema: orNull(recordId, { default: null, description: 'the bidder of a programmatic line item' }),
      parent: 'bidders',
      only: 'programmatic',
      view: ['bidderId', 'integerOrNull'],
      form: { label: 'Bidder', placeholder: 'None: an endpoint below' },
    },
    endpoint: {
      schema: orNull(url, {
        default: null,
        description: 'in place of bidder_id: the OpenRTB endpoint of a bidder that needs nothing else than gvl_id and notice_hosts',
      }),
      only: 'programmatic',
      view: ['endpoint', 'textOrNull'],
      form: {
        label: 'Bidder endpoint',
        wide: true,
        required: true,
        when: SHORT_FORM,
        placeholder: 'https://bidder.example/openrtb',
        help: 'Receives an OpenRTB bid request for each ad that this line item could fill. For development, /test/bid of this service always bids.',
      },
    },
    gvl_id: {
      schema: vendorId("the bidder's id on the IAB Global Vendor List; without one it receives no personal data where the TCF applies"),
      only: 'programmatic',
      view: ['gvlId', 'integerOrNull'],
      form: {
        label: 'Vendor id',
        when: SHORT_FORM,
        placeholder: 'not listed',
        help: 'The bidder’s id on the IAB Global Vendor List. Without one, it receives no user id, whole address or page query where the TCF applies.',
      },
    },
    notice_hosts: {
      schema: hosts(20, "hosts, with their subdomains, to which the bidder's notices may go, besides the endpoint's own host"),
      stored: 'json',
      view: ['noticeHosts', 'json'],
      form: { label: 'Notice hosts', wide: true, when: { type: ['programmatic'], ...SHORT_FORM }, help: NOTICE_HOSTS_HELP },
    },
    floor: {
      schema: amount(
        'USD per thousand impressions: the lowest bid for a programmatic line item; with deal_id, the floor of the deal',
        1_000,
      ),
      stored: 'micros',
      only: 'programmatic',
      view: ['floorMicros', 'integer', 0],
      form: { label: 'Floor', placeholder: 'none', help: 'The lowest CPM that its bidder may bid.' },
    },
    value_cpm: {
      schema: amount('USD per thousand impressions: the price of a direct line item in auctions; null: its eCPM. Bills nothing', 100_000),
      stored: 'micros',
      only: 'direct',
      view: ['valueCpmMicros', 'numberOrNull'],
      form: {
        label: 'Value in auctions',
        placeholder: 'same as its eCPM',
        help: 'The CPM that it bids in header bidding, where it competes with other sellers. It bills nothing.',
      },
    },
    deal_id: {
      schema: orNull(textOf({ minLength: 1, maxLength: 128 }), {
        default: null,
        description: 'named by its bids in auctions; of a programmatic line item, the deal that its bidder is offered',
      }),
      view: ['dealId', 'textOrNull'],
      form: {
        label: 'Deal id',
        placeholder: 'none',
        help: 'Header bidding can prefer bids with this id, whatever they pay.',
        variants: [
          {
            when: { type: ['programmatic'] },
            help: 'The deal that its bidder is offered. The line item then takes bids under this deal only.',
          },
        ],
      },
    },
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
      ...['daily_impression_cap', 'impressions_today', 'spend_today'],
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
