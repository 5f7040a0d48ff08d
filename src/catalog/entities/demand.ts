import { orNull, recordId, textOf } from '../../base/schema.ts';
import { NOTICE_HOSTS_HELP, vendorId } from './bidder.ts';
import { field } from './field.ts';
import { amount, hosts, url } from './parts.ts';

/** A programmatic line item without a bidder: what it says of its bidder itself. */
const SHORT_FORM = { bidder_id: [''] };

/** The fields of a line item that say where its bids come from, and what it bids itself. */
export const DEMAND = {
  bidder_id: field({
    schema: orNull(recordId, { default: null, description: 'the bidder of a programmatic line item' }),
    parent: 'bidders',
    only: 'programmatic',
    view: ['bidderId', 'integerOrNull'],
    form: { label: 'Bidder', placeholder: 'None: an endpoint below' },
  }),
  endpoint: field({
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
  }),
  gvl_id: field({
    schema: vendorId("the bidder's id on the IAB Global Vendor List; without one it receives no personal data where the TCF applies"),
    only: 'programmatic',
    view: ['gvlId', 'integerOrNull'],
    form: {
      label: 'Vendor id',
      when: SHORT_FORM,
      placeholder: 'not listed',
      help: 'The bidder’s id on the IAB Global Vendor List. Without one, it receives no user id, whole address or page query where the TCF applies.',
    },
  }),
  notice_hosts: field({
    schema: hosts(20, "hosts, with their subdomains, to which the bidder's notices may go, besides the endpoint's own host"),
    stored: 'json',
    view: ['noticeHosts', 'json'],
    form: { label: 'Notice hosts', wide: true, when: { type: ['programmatic'], ...SHORT_FORM }, help: NOTICE_HOSTS_HELP },
  }),
  floor: field({
    schema: amount('per thousand impressions: the lowest bid for a programmatic line item; with deal_id, the floor of the deal', 100_000),
    stored: 'micros',
    only: 'programmatic',
    view: ['floorMicros', 'integer', 0],
    form: { label: 'Floor', placeholder: 'none', help: 'The lowest CPM that its bidder may bid.' },
  }),
  value_cpm: field({
    schema: amount('per thousand impressions: the price of a direct line item in auctions; null: its eCPM. Bills nothing', 100_000),
    stored: 'micros',
    only: 'direct',
    view: ['valueCpmMicros', 'numberOrNull'],
    form: {
      label: 'Value in auctions',
      placeholder: 'same as its eCPM',
      help: 'The CPM that it bids in header bidding, where it competes with other sellers. It bills nothing.',
    },
  }),
  deal_id: field({
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
  }),
};
