import type { BidderRecord } from '../model/records.ts';
import { ARCHIVED } from './choice-words.ts';
import type { FormDescription } from './form-description.ts';

/** The fields of BLOCK_LISTS. */
export const BLOCK_FIELDS = {
  badv: { label: 'Advertiser domains', wide: true, placeholder: 'casino.example', help: 'Subdomains are blocked, too.' },
  bcat: { label: 'Categories', wide: true, placeholder: 'IAB25', help: 'Ids of the taxonomy below.' },
  cattax: { label: 'Category taxonomy', help: 'The number in OpenRTB’s list: 1 is IAB 1.0, 7 is IAB 3.0.' },
  battr: {
    label: 'Creative attributes',
    wide: true,
    placeholder: '1',
    help: 'Numbers of OpenRTB’s list: 1 plays audio by itself, 6 plays video by itself.',
  },
} satisfies FormDescription<keyof BidderRecord>['sections'][number]['fields'];

export const bidderForm: FormDescription<keyof BidderRecord> = {
  sections: [
    {
      title: 'Bidder',
      text: 'Programmatic demand, such as a Prebid Server or an exchange. Line items of the type Programmatic name it.',
      fields: {
        name: { label: 'Name', placeholder: 'Prebid Server' },
        gvl_id: {
          label: 'Vendor id',
          placeholder: 'not listed',
          help: 'Its id on the IAB Global Vendor List. Without one, it receives no user id, whole address or page query where the TCF applies.',
        },
        endpoint: {
          label: 'Endpoint',
          wide: true,
          placeholder: 'https://pbs.example/openrtb2/auction',
          help: 'Receives an OpenRTB 2.6 bid request for each ad that its line items could fill.',
        },
        headers: {
          label: 'Headers',
          widget: 'headers',
          wide: true,
          help: 'Sent with each request, for example Authorization. Values are stored encrypted and are not shown again: replace sealed:… to change one.',
        },
        params: {
          label: 'Parameters',
          widget: 'json',
          wide: true,
          placeholder: '{"prebid": {"storedrequest": {"id": "${PLACEMENT_ID}"}}}',
          help: 'A JSON object that becomes imp.ext. ${PLACEMENT_ID} and ${PUBLISHER_ID} are replaced.',
        },
        gzip: {
          label: 'Compress requests',
          help: 'Prebid Server accepts this when its compression is on. Answers may always be compressed.',
        },
      },
    },
    {
      title: 'Bids',
      text: 'How its bids are read, compared and limited.',
      fields: {
        currency: { label: 'Currency', placeholder: 'EUR', help: 'Of floors and bids. Other currencies than USD need CURRENCY_RATES.' },
        bid_adjustment: { label: 'Bid adjustment', help: 'A factor: 0.85 counts and bills 85 % of each bid.' },
        timeout_share: { label: 'Share of the time limit', help: '0.5 gives it half of the time that a request has for bidders.' },
        seats: { label: 'Seats', wide: true, help: 'Buyer seats whose bids are accepted. Empty: all.' },
        notice_hosts: {
          label: 'Notice hosts',
          wide: true,
          help: 'Win, billing and loss notices go to the endpoint’s host and to these hosts with their subdomains, and nowhere else.',
        },
      },
    },
    {
      title: 'Supply chain',
      text: 'Fill this in where this service is paid for what the bidder buys: its node in source.schain.',
      fields: {
        schain_asi: { label: 'Seller system (asi)', placeholder: 'ads.example', help: 'The domain that publishes sellers.json.' },
        schain_sid: {
          label: 'Seller id (sid)',
          placeholder: '${PUBLISHER_ID}',
          help: '${PUBLISHER_ID} is replaced by the publisher’s id.',
        },
        schain_name: {
          label: 'Company that is paid',
          placeholder: 'the publisher',
          help: 'Only when it is another one than the publisher.',
        },
        schain_domain: { label: 'Its domain', placeholder: 'the publisher’s' },
        ads_txt: {
          label: 'Records of ads.txt',
          widget: 'lines',
          wide: true,
          help: 'What the bidder asks publishers to add to their ads.txt, one record in a line: exchange.example, 1234, RESELLER, f08c47fec0942fa0',
        },
      },
    },
    {
      title: 'Blocked',
      text: 'Bids with any of these are refused.',
      fields: {
        ...BLOCK_FIELDS,
        archived: ARCHIVED,
      },
    },
  ],
};
