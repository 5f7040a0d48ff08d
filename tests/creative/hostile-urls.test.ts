import { USD_ONLY } from '../../src/bidders/currency-rates.ts';
import { sampleBidder } from '../../testkit/sample-booking.ts';
import fc from 'fast-check';
import { sanitizeAssets } from '../../sdk/src/sanitize-assets.ts';
import { readBidResponse, type AskedBid } from '../../src/bidders/openrtb/read-bid-response.ts';
import { CHECKS } from '../../src/catalog/checks/check-entities.ts';
import { parseCreativeContent } from '../../src/catalog/checks/parse-content.ts';
import { composeMarkup, type MarkupContent } from '../../src/creative/compose-markup.ts';
import { tagsOf } from './tags-of.ts';

/** What ends an attribute of a template, in whichever way it is quoted. */
const ENDS_ATTRIBUTE = /["'<>`\\\s\0-\x1f\x7f]/;

const HOSTILE_PARTS = [
  '"',
  "'",
  '<',
  '>',
  '`',
  ' ',
  '\\',
  '\n',
  '\t',
  '\0',
  '\x7f',
  '\u00a0',
  '\u2028',
  '/',
  '?',
  '#',
  '&',
  '=',
  '%27',
  '${AUCTION_BID_ID}',
  '${AUCTION_SEAT_ID}',
  'onerror=alert(1)',
  'a',
  'é',
];
const hostileText = fc.array(fc.constantFrom(...HOSTILE_PARTS), { maxLength: 12 }).map((parts) => parts.join(''));
const hostileUrl = fc
  .tuple(fc.constantFrom('https://cdn.example/', 'HTTPS://cdn.example?', 'http://cdn.example/#', 'https:\\\\cdn.example\\'), hostileText)
  .map((parts) => parts.join(''));
const ASKED: AskedBid = {
  auctionId: 'a',
  bidder: sampleBidder({ endpoint: 'https://bidder.example/' }),
  currencies: { asked: 'USD', booked: 'USD' },
  rateOf: USD_ONLY,
  blocked: [],
  dsa: undefined,
  format: 'native',
  secure: false,
  mayNotify: () => true,
  imps: new Map([['i', { size: { width: 300, height: 250 }, otherSizes: [], floors: new Map([['', 0]]) }]]),
};
const RUNS = { numRuns: 2_000 };

/** Every string in a value except under the keys of texts. */
const addressesIn = (value: unknown, key = ''): readonly string[] => {
  if (typeof value === 'string') return key === 'title' ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => addressesIn(one, Array.isArray(value) ? key : name));
};

const expectHarmless = (urls: readonly string[]): void => expect(urls.filter((url) => ENDS_ATTRIBUTE.test(url))).toEqual([]);

test('no URL of a bidder’s native ad ends an attribute, with macros filled', () => {
  let accepted = 0;
  fc.assert(
    fc.property(hostileUrl, hostileUrl, hostileUrl, hostileText, fc.boolean(), (link, image, tracker, id, asText) => {
      const native = {
        link: { url: link, clicktrackers: [tracker] },
        imptrackers: [tracker],
        eventtrackers: [{ event: 1, method: 1, url: tracker }],
        assets: [
          { id: 1, title: { text: 'A title' } },
          { id: 2, img: { url: image } },
          { id: 3, img: { url: image } },
        ],
      };
      const adm = asText ? JSON.stringify(native) : native;
      const answer = { cur: 'USD', seatbid: [{ seat: id, bid: [{ id, impid: 'i', price: 1, adm }] }] };
      for (const { adm: served } of readBidResponse(answer, ASKED).best) {
        accepted++;
        expectHarmless(addressesIn(JSON.parse(served)));
      }
    }),
    RUNS,
  );
  expect(accepted).toBeGreaterThan(RUNS.numRuns / 2);
});

test('a macro in a URL of a native ad is filled wherever it is', () => {
  const native = {
    link: { url: 'https://x.example/${AUCTION_BID_ID}/p?id=${AUCTION_BID_ID}#${AUCTION_BID_ID}' },
    assets: [{ id: 1, title: { text: 'A' } }],
  };
  const answer = { cur: 'USD', seatbid: [{ bid: [{ id: "b'1", impid: 'i', price: 1, adm: JSON.stringify(native) }] }] };
  const { best } = readBidResponse(answer, ASKED);
  expect(JSON.parse(best[0]!.adm)).toEqual({ title: 'A', click: 'https://x.example/b%271/p?id=b%271#b%271' });
});

test('no URL of a native creative ends an attribute, in the service and in the SDK', () => {
  fc.assert(
    fc.property(hostileUrl, hostileText, (url, path) => {
      const assets = { title: 'It\'s "quoted"', image: { url, w: 1 }, click: `/${path}`, list: [url], deep: { photo: url, href: path } };
      const parsed = parseCreativeContent('native', JSON.stringify(assets));
      const served =
        'content' in parsed
          ? JSON.parse(composeMarkup({ content: parsed.content as MarkupContent, clickUrl: null }, { width: 1, height: 1 }))
          : {};
      expect(served).toMatchObject({ title: 'It\'s "quoted"' });
      expectHarmless(addressesIn(served));
      expectHarmless(addressesIn(sanitizeAssets(assets, 'https://page.example/')));
    }),
    RUNS,
  );
});

test('no URL of a banner, and no click URL, ends an attribute', () => {
  let clickable = 0;
  fc.assert(
    fc.property(hostileUrl, hostileUrl, (url, click) => {
      const content = JSON.stringify({ image: url, images: [{ url, width: 600, height: 500 }] });
      const record = { placement_id: 'p', line_item_id: 1, format: 'banner', content, click_url: click };
      const checked = CHECKS.creatives(record);
      if (!checked.ok) return;
      clickable++;
      const { click_url: clickUrl } = checked.record;
      expectHarmless([clickUrl!]);
      const parsed = parseCreativeContent('banner', content);
      if (!('content' in parsed)) return;
      const { tags } = tagsOf(composeMarkup({ content: parsed.content as MarkupContent, clickUrl }, { width: 300, height: 250 }));
      for (const { attributes } of tags) {
        expectHarmless([attributes['src'], attributes['href']].filter((one) => one !== undefined));
        expectHarmless(attributes['srcset']?.split(/, | \d+w/) ?? []);
      }
    }),
    RUNS,
  );
  expect(clickable).toBeGreaterThan(50);
});
