import * as s from '../../base/schema.ts';
import { defineEntity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
import { ARCHIVED, BLOCK_LISTS, EXTERNAL_KEY, hostOrNull, hosts, ID, nameSchema, texts, url } from './parts.ts';

export const vendorId = (description: string) => s.orNull(s.integerOf({ minimum: 1, maximum: 65_535 }), { default: null, description });

export const NOTICE_HOSTS_HELP =
  'Win, billing and loss notices go to the endpoint’s host and to these hosts with their subdomains, and nowhere else.';

export const BIDDER = defineEntity({
  one: 'bidder',
  many: 'Bidders',
  fields: {
    id: ID,
    name: { schema: nameSchema, form: { label: 'Name', placeholder: 'Prebid Server' } },
    endpoint: {
      schema: { ...url, description: 'receives OpenRTB 2.6 bid requests' },
      view: ['endpoint', 'text'],
      form: {
        label: 'Endpoint',
        wide: true,
        placeholder: 'https://pbs.example/openrtb2/auction',
        help: 'Receives an OpenRTB 2.6 bid request for each ad that its line items could fill.',
      },
    },
    headers: {
      // Values as they are sent; an answer has a mark (base/secret-box.ts) in place of each.
      schema: s.schemaFor<Record<string, string>>({
        type: 'object',
        maxProperties: 20,
        propertyNames: { format: 'header-name', maxLength: 128 },
        additionalProperties: { type: 'string', format: 'header-value', minLength: 1, maxLength: 4096 },
        default: {},
        description:
          'request headers, such as a key. The values are stored encrypted and never shown again: an answer has a mark for each, and a mark that is sent back keeps the value',
      }),
      stored: 'sealed',
      view: ['headers', 'json'],
      form: {
        label: 'Headers',
        widget: 'headers',
        wide: true,
        help: 'Sent with each request, for example Authorization. Values are stored encrypted and are not shown again: replace sealed:… to change one.',
      },
    },
    params: {
      schema: s.anyObject({
        default: {},
        description: 'becomes imp.ext of each impression; ${PLACEMENT_ID} and ${PUBLISHER_ID} in texts are replaced',
      }),
      stored: 'json',
      view: ['params', 'json'],
      form: {
        label: 'Parameters',
        widget: 'json',
        wide: true,
        placeholder: '{"prebid": {"storedrequest": {"id": "${PLACEMENT_ID}"}}}',
        help: 'A JSON object that becomes imp.ext. ${PLACEMENT_ID} and ${PUBLISHER_ID} are replaced.',
      },
    },
    gzip: {
      schema: { ...s.boolean, default: false, description: 'compress requests; answers may always be compressed' },
      view: ['gzip', 'flag'],
      form: {
        label: 'Compress requests',
        help: 'Prebid Server accepts this when its compression is on. Answers may always be compressed.',
      },
    },
    gvl_id: {
      schema: vendorId('its id on the IAB Global Vendor List; without one it receives no personal data where the TCF applies'),
      view: ['gvlId', 'integerOrNull'],
      form: {
        label: 'Vendor id',
        placeholder: 'not listed',
        help: 'Its id on the IAB Global Vendor List. Without one, it receives no user id, whole address or page query where the TCF applies.',
      },
    },
    seats: {
      schema: texts({ minLength: 1, maxLength: 128 }, 100, 'buyer seats whose bids are accepted; empty: all'),
      stored: 'json',
      view: ['seats', 'json'],
      form: { label: 'Seats', wide: true, help: 'Buyer seats whose bids are accepted. Empty: all.' },
    },
    currency: {
      schema: s.orNull(s.textOf({ format: 'currency' }), {
        default: null,
        description: 'of floors and bids; null: that of each publisher; another one needs a rate in CURRENCY_RATES',
      }),
      view: ['currency', 'textOrNull'],
      form: {
        label: 'Currency',
        placeholder: 'that of the publisher',
        help: 'Of floors and bids. Empty: the currency of each publisher. Another one needs an exchange rate, set in the configuration of the ad server.',
      },
    },
    bid_adjustment: {
      schema: s.numberOf({
        minimum: 0.01,
        maximum: 10,
        default: 1,
        description: 'a factor: what a bid counts and earns, such as 0.85 where the bidder keeps 15 percent',
      }),
      view: ['bidAdjustment', 'number'],
      form: { label: 'Bid adjustment', help: 'A factor: 0.85 counts and bills 85% of each bid.' },
    },
    timeout_share: {
      schema: s.numberOf({ minimum: 0.05, maximum: 1, default: 1, description: 'the part of the time for bidders that this one may use' }),
      view: ['timeoutShare', 'number'],
      form: { label: 'Share of the time limit', help: '0.5 gives it half of the time that a request has for bidders.' },
    },
    notice_hosts: {
      schema: hosts(20, 'hosts, with their subdomains, to which its notices may go, besides the endpoint’s own host'),
      stored: 'json',
      view: ['noticeHosts', 'json'],
      form: { label: 'Notice hosts', wide: true, help: NOTICE_HOSTS_HELP },
    },
    schain_asi: {
      schema: hostOrNull('the node of this service in source.schain, where it is paid for what the bidder buys: its domain …'),
      form: { label: 'Seller system (asi)', placeholder: 'ads.example', help: 'The domain that publishes sellers.json.' },
    },
    schain_sid: {
      schema: s.orNull(s.textOf({ minLength: 1, maxLength: 64 }), {
        default: null,
        description: '… and the id of the seller there, in which ${PUBLISHER_ID} is replaced',
      }),
      form: {
        label: 'Seller id (sid)',
        placeholder: '${PUBLISHER_ID}',
        help: '${PUBLISHER_ID} is replaced by the publisher’s id.',
      },
    },
    schain_name: {
      schema: s.orNull(nameSchema, { default: null, description: 'the company that is paid there, unless it is the publisher' }),
      form: { label: 'Company that is paid', placeholder: 'the publisher', help: 'Only when it is another one than the publisher.' },
    },
    schain_domain: {
      schema: hostOrNull('… and its domain'),
      form: { label: 'Its domain', placeholder: 'the publisher’s' },
    },
    ads_txt: {
      // Lines of records (model/ads-txt-record.ts).
      schema: texts(
        { format: 'ads-txt-record', maxLength: 512 },
        500,
        'records of ads.txt that the bidder asks publishers for, such as those of the exchanges behind a Prebid Server',
      ),
      stored: 'json',
      form: {
        label: 'Records of ads.txt',
        widget: 'lines',
        wide: true,
        help: 'What the bidder asks publishers to add to their ads.txt, one record in a line: exchange.example, 1234, RESELLER, f08c47fec0942fa0',
      },
    },
    ...BLOCK_LISTS,
    external_key: EXTERNAL_KEY,
    archived: { ...ARCHIVED, view: ['archived', 'flag'] },
  },
  about: 'Programmatic demand: the servers that bid for line items.',
  list: { columns: ['currency'], searched: ['name', 'endpoint', 'external_key'], sorted: ['id', 'name', 'currency'] },
  sections: [
    {
      title: 'Bidder',
      text: 'Programmatic demand, such as a Prebid Server or an exchange. Line items of the type Programmatic name it.',
      fields: ['name', 'gvl_id', 'endpoint', 'headers', 'params', 'gzip', 'external_key'],
    },
    {
      title: 'Bids',
      text: 'How its bids are read, compared and limited.',
      fields: ['currency', 'bid_adjustment', 'timeout_share', 'seats', 'notice_hosts'],
    },
    {
      title: 'Supply chain',
      text: 'Fill this in where this service is paid for what the bidder buys: its node in source.schain.',
      fields: ['schain_asi', 'schain_sid', 'schain_name', 'schain_domain', 'ads_txt'],
    },
    {
      title: 'Blocked',
      text: 'Bids with any of these are refused.',
      fields: ['badv', 'bcat', 'cattax', 'battr', 'archived'],
    },
  ],
});
export type BidderRecord = RecordOf<(typeof BIDDER)['fields']>;
