import { isMisfit, readVast, withReports } from '../../src/bidders/openrtb/vast-markup.ts';
import { composeVideo } from '../../src/creative/vast/compose-vast.ts';
import { vastLinks } from '../../src/creative/vast/vast-ad.ts';
import { readBidResponse } from '../../src/bidders/openrtb/read-bid-response.ts';
import { sampleBidder } from '../../testkit/sample-booking.ts';
import { FULL_VIDEO, videoOf } from '../creative/vast/sample-video.ts';
import { vastFaults } from '../creative/vast/validate-vast.ts';
import { expectCpuBelow } from '../setup/expect-cpu-below.ts';

const MEDIA =
  '<MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="640" height="360"><![CDATA[https://cdn.example/a.mp4?x=1&y=2]]></MediaFile></MediaFiles>';
const linear = ({ before = '', duration = '00:00:15', attributes = '', after = '' } = {}): string =>
  `<Linear${attributes}>${before}<Duration>${duration}</Duration>${after}${MEDIA}</Linear>`;
const inLine = (body = linear(), extra = ''): string =>
  `<?xml version="1.0"?><VAST version="3.0"><Ad id="1"><InLine><AdSystem>x</AdSystem><AdTitle>y</AdTitle>${extra}<Impression>https://t.example/i</Impression>` +
  `<Creatives><Creative>${body}</Creative></Creatives></InLine></Ad></VAST>`;
const WRAPPER =
  '<VAST version="3.0"><Ad id="1"><Wrapper><AdSystem>x</AdSystem><VASTAdTagURI>https://next.example/vast</VASTAdTagURI>' +
  '<Impression>https://t.example/i</Impression><Creatives><Creative><Linear><TrackingEvents><Tracking event="start">https://t.example/s</Tracking></TrackingEvents></Linear></Creative></Creatives></Wrapper></Ad></VAST>';

const SERVICE = 'https://bidder.example';
const LATEST = composeVideo(
  { id: 1, clickUrl: 'https://boots.example/', advertiserDomain: 'boots.example' },
  videoOf(FULL_VIDEO),
  { version: '4.2', base: SERVICE, token: 'THEIRS', tokenId: 'a' },
  { service: SERVICE, pictures: SERVICE, html5: SERVICE },
);

test.each([
  ['an ad in place', inLine()],
  [
    'one with reports',
    inLine(linear({ after: '<TrackingEvents><Tracking event="start">https://t.example/s</Tracking></TrackingEvents>' })),
  ],
  ['a wrapper', WRAPPER],
  // The schema of VAST 3.0 has one error; that of 4.2 any number.
  ['an ad of VAST 4.2 with everything', LATEST],
])('%s gets our reports beside those of the bidder, and stays valid', async (_, adm) => {
  const version = adm === LATEST ? '4.2' : '3.0';
  expect(await vastFaults(version, [adm])).toEqual([]);
  const text = withReports(adm, vastLinks('https://ads.example', 'TOKEN'));
  expect(await vastFaults(version, [text])).toEqual([]);
  for (const url of ['/impression?t=TOKEN', '/event?t=TOKEN&amp;type=error&amp;code=[ERRORCODE]', '/event?t=TOKEN&amp;type=complete'])
    expect(text.split(`https://ads.example${url}`)).toHaveLength(2);
  // What the bidder sent is all there, in its order.
  const ours = /<(Impression|Error|Tracking|ClickTracking)[^>]*>https:\/\/ads\.example[^<]*<\/\1>/g;
  expect(text.replace(ours, '').replace('<TrackingEvents></TrackingEvents>', '')).toBe(adm);
  expect(readVast(text)).toBeDefined();
});

test.each([
  ['markup', '<b>ad</b>'],
  ['a document that is cut off', inLine().slice(0, -10)],
  ['elements that overlap', inLine().replace('</AdTitle>', '</AdSystem>')],
  ['an entity of its own', `<!DOCTYPE VAST [<!ENTITY a "aaaa">]>${inLine()}`.replace('<?xml version="1.0"?>', '')],
  ['no ad', '<VAST version="4.2"></VAST>'],
  ['two ads', inLine().replace('</Ad>', '</Ad><Ad id="2"><InLine></InLine></Ad>')],
  ['no impression', inLine().replace(/<Impression.*<\/Impression>/, '')],
  ['no file', inLine().replace(MEDIA, '')],
  ['no length', inLine(linear({ duration: 'long' }))],
  ['a tower of elements', inLine().replace('<AdTitle>y', `<AdTitle>${'<a>'.repeat(60)}${'</a>'.repeat(60)}`)],
  ['thousands of elements', inLine().replace('<AdTitle>y', `<AdTitle>${'<a/>'.repeat(3_000)}`)],
])('%s is refused', (_, adm) => {
  expect(readVast(adm)).toBeUndefined();
});

test('reading the longest and most twisted answers costs some milliseconds', async () => {
  // Up to 10 ms, and three times as much on a machine that is busy and slow; what grows with the square of the length takes seconds.
  for (const piece of ['<a>', '<a/>', '<![CDATA[', '<!--', '&amp;', '<!DOCTYPE a [', '<a b="', ']]>'])
    await expectCpuBelow(100, () => readVast(inLine().replace('y</AdTitle>', piece.repeat(64_000 / piece.length))));
});

test.each([
  ['too short', { min_duration: 20 }, true],
  ['too long', { max_duration: 10 }, true],
  ['not to be skipped', { skip: 'required' }, true],
  ['of other files', { mimes: ['video/webm'] }, true],
  ['as it is asked', { min_duration: 15, max_duration: 15, skip: 'forbidden', mimes: ['VIDEO/MP4'] }, false],
] as const)('an ad that is %s', (_, rules, isRefused) => {
  expect(isMisfit(readVast(inLine())!, [null, rules])).toBe(isRefused);
});

test('a bid is refused for what its player does not take, and for addresses that a secure page does not load', () => {
  const answer = (adm: string, changes: object = {}) => {
    const read = readBidResponse(
      { seatbid: [{ bid: [{ id: '1', impid: 'a', price: 2, adm, mtype: 2, ...changes }] }] },
      {
        ...{ auctionId: 'x', bidder: sampleBidder({ endpoint: 'https://bidder.example/' }), rateOf: () => 1, blocked: [], dsa: undefined },
        currencies: { asked: 'USD', booked: 'USD' },
        ...{ format: 'video', secure: true, mayNotify: () => true },
        imps: new Map([
          [
            'a',
            { size: { width: 640, height: 360 }, otherSizes: [], floors: new Map([['', 0]]), players: [{ max_duration: 15 }, undefined] },
          ],
        ]),
      },
    );
    return read.refused[0]?.outcome ?? read.best[0]?.adm;
  };
  expect(answer(inLine())).toBe(inLine());
  expect(answer(WRAPPER)).toBe(WRAPPER);
  expect(answer(inLine(linear({ duration: '00:00:30' })))).toBe('not_for_player');
  expect(answer(inLine().replace('https://t.example', 'http://t.example'))).toBe('not_secure');
  expect(answer('<b>banner</b>')).toBe('wrong_format');
  expect(answer(inLine(), { mtype: 1 })).toBe('wrong_format');
  expect(answer(`${inLine().slice(0, -6)}`)).toBe('bad_vast');
});
