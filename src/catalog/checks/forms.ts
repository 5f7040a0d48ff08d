import type { CampaignRecord, LineItemRecord, TargetingRecord } from '../model/records.ts';
import { advertiserForm } from './advertiser-form.ts';
import { bidderForm } from './bidder-form.ts';
import { ARCHIVED, BUDGET_TYPES, DEVICES, LINE_ITEM_TYPES, PACING_WORDS, PRIORITIES, ROTATIONS } from './choice-words.ts';
import { creativeForm } from './creative-form.ts';
import type { FormDescription } from './form-description.ts';
import { placementForm } from './placement-form.ts';
import { publisherForm } from './publisher-form.ts';

/** The dates of a flight, in the order in which a form shows them. */
const FLIGHT_FIELDS = {
  start_date: { label: 'Start', help: 'Without a time: from the beginning of that UTC day.' },
  end_date: { label: 'End', help: 'Without a time: through the end of that UTC day.' },
};

/** A programmatic line item without a bidder: what it says of its bidder itself. */
const SHORT_FORM = { type: ['programmatic'], bidder_id: [''] };

/** The forms of the trafficking page, beside the schemas that they describe. */
const campaignForm: FormDescription<keyof CampaignRecord> = {
  sections: [
    {
      title: 'Campaign',
      text: 'Holds line items together: one publisher, one flight, one budget.',
      fields: {
        name: { label: 'Name', wide: true, placeholder: 'Spring sale' },
        publisher_id: { label: 'Publisher', parent: 'publishers' },
        advertiser_id: { label: 'Advertiser', parent: 'advertisers', placeholder: 'Not known' },
        ...FLIGHT_FIELDS,
        budget: { label: 'Budget', widget: 'money', placeholder: 'no limit', help: 'Limits the sum of its line items.' },
        active: { label: 'Active', initial: true, help: 'Off: paused. None of its line items serves.' },
        archived: ARCHIVED,
      },
    },
  ],
};

const lineItemForm: FormDescription<keyof LineItemRecord | `targeting/${keyof TargetingRecord}`> = {
  sections: [
    {
      title: 'Booking',
      text: 'What runs, when, and where its ads come from.',
      fields: {
        name: { label: 'Name', placeholder: 'Run of site, desktop' },
        campaign_id: { label: 'Campaign', parent: 'campaigns' },
        ...FLIGHT_FIELDS,
        start_date: { ...FLIGHT_FIELDS.start_date, help: 'It serves only while its campaign’s flight runs, too.' },
        type: { label: 'Type', wide: true, choices: LINE_ITEM_TYPES },
        bidder_id: {
          label: 'Bidder',
          parent: 'bidders',
          when: { type: ['programmatic'] },
          placeholder: 'None: an endpoint below',
        },
        endpoint: {
          label: 'Bidder endpoint',
          wide: true,
          required: true,
          when: SHORT_FORM,
          placeholder: 'https://bidder.example/openrtb',
          help: 'Receives an OpenRTB bid request for each ad that this line item could fill. For development, /test/bid of this service always bids.',
        },
        gvl_id: {
          label: 'Vendor id',
          when: SHORT_FORM,
          placeholder: 'not listed',
          help: 'The bidder’s id on the IAB Global Vendor List. Without one, it receives no user id, whole address or page query where the TCF applies.',
        },
        notice_hosts: {
          label: 'Notice hosts',
          wide: true,
          when: SHORT_FORM,
          help: 'Win, billing and loss notices go to the endpoint’s host and to these hosts with their subdomains, and nowhere else.',
        },
        active: { label: 'Active', initial: true, help: 'Off: paused. It stays booked and does not serve.' },
        archived: ARCHIVED,
      },
    },
    {
      title: 'Price and priority',
      text: 'Line items are ranked by priority first, then by the value of a thousand impressions.',
      fields: {
        // Hidden for a programmatic line item, and then saved as the default: CPM.
        budget_type: { label: 'Budget type', wide: true, choices: BUDGET_TYPES, when: { type: ['direct'] } },
        cpc: {
          label: 'Price per click (CPC)',
          widget: 'money',
          required: true,
          when: { type: ['direct'], budget_type: ['CPC'] },
          keptWhileHidden: true,
        },
        cpm: {
          label: 'Price per thousand (CPM)',
          widget: 'money',
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
        budget: {
          label: 'Total budget',
          widget: 'money',
          placeholder: 'no limit',
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
        rotation: {
          label: 'Rotation of creatives',
          wide: true,
          choices: ROTATIONS,
          help: 'Optimised learns from the net clicks of the last 30 days, and keeps trying every creative a little.',
        },
        priority: { label: 'Priority', wide: true, choices: PRIORITIES, initial: 2 },
        floor: {
          label: 'Floor',
          widget: 'money',
          when: { type: ['programmatic'] },
          placeholder: 'none',
          help: 'The lowest CPM that its bidder may bid.',
        },
        value_cpm: {
          label: 'Value in auctions',
          widget: 'money',
          when: { type: ['direct'] },
          placeholder: 'same as its eCPM',
          help: 'The CPM that it bids in header bidding, where it competes with other sellers. It bills nothing.',
        },
        deal_id: {
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
    },
    {
      title: 'Delivery limits',
      text: 'Each limit holds exactly, across all replicas. An empty field sets no limit.',
      fields: {
        pacing: {
          label: 'Pacing',
          wide: true,
          choices: PACING_WORDS,
          help: 'Even and PID spread the daily caps, or the day’s part of the goals and budgets.',
        },
        goal_impressions: {
          label: 'Impressions in all',
          placeholder: 'no goal',
          help: 'The goal of the whole flight. Even and PID spread what is left over the days that are left; it stops when the goal is reached.',
        },
        goal_clicks: {
          label: 'Clicks in all',
          placeholder: 'no goal',
          help: 'Spread by the click rate of the last 30 days. Clicks on ads already shown may exceed it a little.',
        },
        frontload: {
          label: 'Front-load',
          unit: '%',
          when: { pacing: ['Even', 'PID'] },
          help: 'How far above the even rate the flight begins, up to 30 %. It ends as far below.',
        },
        daily_impression_cap: { label: 'Daily impressions', placeholder: 'no cap', unit: 'a day' },
        daily_spend_cap: { label: 'Daily spend', widget: 'money', placeholder: 'no cap', unit: 'a day' },
        frequency_cap: { label: 'Frequency cap', placeholder: 'no cap', unit: 'per user' },
        frequency_window: { label: 'Window', widget: 'duration', required: true, when: { frequency_cap: 'given' }, initial: 86_400 },
        rate_limit: { label: 'Rate limit', placeholder: 'no limit', unit: 'serves a second' },
        rate_burst: {
          label: 'Burst',
          placeholder: 'same as the limit',
          when: { rate_limit: 'given' },
          help: 'The most it may serve in one second after a quiet period.',
        },
      },
    },
    {
      title: 'Targeting',
      text: 'A visitor must match every rule; one value of a rule is enough. Without rules, every visitor matches.',
      fields: {
        'targeting/countries': {
          label: 'Countries',
          widget: 'countries',
          help: 'Visitors whose country is unknown match no country rule.',
        },
        'targeting/regions': {
          label: 'Regions',
          placeholder: 'US-CA',
          help: 'ISO 3166-2 codes, as the GEO_DATABASE of the service has them. Without it, no visitor matches.',
        },
        'targeting/cities': {
          label: 'Cities',
          placeholder: 'Springfield',
          help: 'English names, as the GEO_DATABASE has them. Add a region where several cities have the name.',
        },
        'targeting/devices': { label: 'Devices', choices: DEVICES },
        'targeting/dimensions': { label: 'Dimensions', widget: 'dimensions' },
        'targeting/key_values': {
          label: 'Key-values',
          widget: 'key-values',
          wide: true,
          help: 'Any names and values that your pages send in ext.kv. They are not checked.',
        },
      },
    },
  ],
};

export const FORMS = {
  publishers: publisherForm,
  placements: placementForm,
  advertisers: advertiserForm,
  bidders: bidderForm,
  campaigns: campaignForm,
  line_items: lineItemForm,
  creatives: creativeForm,
};
