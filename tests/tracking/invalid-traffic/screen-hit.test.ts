import { createAddressList } from '../../../src/context/address-list.ts';
import { createDeviceDetector } from '../../../src/context/device-detector.ts';
import { createVisitorSeal, type SealedVisitor } from '../../../src/context/visitor-seal.ts';
import { REQUEST_REASONS, type ServedAd } from '../../../src/ledger/hit.ts';
import { REQUEST_RULES } from '../../../src/tracking/invalid-traffic/rules.ts';
import { createScreenHit, type HitSender } from '../../../src/tracking/invalid-traffic/screen-hit.ts';
import { eventOf } from '../../events/events.ts';

const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PAGE = 'https://news.example';

const KEY = 'key';
const visitorOf = createDeviceDetector({ cacheSize: 10 });
const { seal } = createVisitorSeal();
const screen = createScreenHit({
  dataCenters: createAddressList(['203.0.113.0/24']),
  seal,
  sealKey: () => KEY,
  acceptsOrigin: (publisherId, origin) => publisherId !== 2 || origin === PAGE,
});

const served = (to: Partial<SealedVisitor> = {}, publisherId = 1): ServedAd =>
  eventOf({ publisherId, seal: seal(KEY, { browser: 'Chrome', ip: '192.0.2.1', origin: PAGE, ...to }, null) }).hit.ad;
const sender = (changes: Partial<HitSender> & { readonly userAgent?: string } = {}): HitSender => ({
  ...{ visitor: visitorOf(changes.userAgent ?? CHROME), ip: '192.0.2.1', origin: PAGE, prefetch: false, hidden: false },
  ...changes,
});
const reasonOf = (ad: ServedAd, changes: Parameters<typeof sender>[0] = {}): string => screen(ad, sender(changes)).invalidReason;

test('each rule filters its kind of hit, the first of them names the reason', () => {
  const all = { prefetch: true, hidden: true, userAgent: '', ip: '203.0.113.9', origin: 'https://other.example' };
  expect([
    reasonOf(served(), all),
    reasonOf(served(), { ...all, prefetch: false }),
    reasonOf(served(), { ...all, prefetch: false, hidden: false }),
    reasonOf(served(), { ...all, prefetch: false, hidden: false, userAgent: 'python-requests/2.32.3' }),
    reasonOf(served({}, 2), { ...all, prefetch: false, hidden: false, userAgent: FIREFOX }),
    reasonOf(served({}, 2), { ip: '192.0.2.9', origin: 'https://other.example' }),
    reasonOf(served(), { userAgent: FIREFOX }),
  ]).toEqual(REQUEST_REASONS);
  expect(REQUEST_RULES.map(({ name }) => name)).toEqual(REQUEST_REASONS);
});

test.each<[string, Partial<SealedVisitor>, Parameters<typeof sender>[0]]>([
  ['on the page of the ad', {}, {}],
  ['whose phone changes from mobile data to wireless', {}, { ip: '198.51.100.7' }],
  ['who has the ad by IPv4 and the pixel by IPv6, in a frame of another host', {}, { ip: '2001:db8::1', origin: 'https://frame.example' }],
  ['in a frame of another host', {}, { origin: 'https://frame.example' }],
  ['whose browser sends no origin, from another network', {}, { origin: null, ip: '198.51.100.7' }],
  ['whose ad the publisher’s server asked for', { browser: null, ip: null, origin: null }, { userAgent: FIREFOX }],
  ['whose player has a user agent of its own', {}, { userAgent: 'AppleCoreMedia/1.0.0.21A340 (iPhone; U; CPU OS 17_0 like Mac OS X)' }],
  ['of a publisher without origins', {}, { origin: 'https://other.example' }],
])('a person is not filtered: %s', (_, to, changes) => {
  expect(reasonOf(served(to), changes)).toBe('');
});

test('another network and another page at once are elsewhere', () => {
  expect(reasonOf(served(), { ip: '198.51.100.7', origin: 'https://other.example' })).toBe('elsewhere');
});

test('of the sender its network, its programs and its page are kept, and nothing when the ad’s token says so', () => {
  expect(screen(served(), sender()).signals).toEqual({
    ...{ network: '192.0.2.0/24', agent: 'Mozilla/ AppleWebKit/ Chrome/ Safari/', origin: PAGE, elsewhere: false },
  });
  expect(screen({ ...served(), unmeasured: true }, sender())).toEqual({ invalidReason: '', signals: undefined });
  expect(screen({ ...served(), unmeasured: true }, sender({ userAgent: FIREFOX }))).toEqual({
    invalidReason: 'elsewhere',
    signals: undefined,
  });
});

test('a seal does not contain what it seals, and depends on the key', () => {
  const visitor = { browser: 'Chrome', ip: '192.0.2.1', origin: PAGE } as const;
  expect(seal(KEY, visitor, null)).toMatch(/^0[46][\w-]{8}$/);
  expect(createVisitorSeal().seal('other', visitor, null)).not.toBe(seal(KEY, visitor, null));
});
