import type { Creative } from '../../src/catalog/model/entities.ts';
import type { VastVersion } from '../../src/catalog/model/video-rules.ts';
import { NO_SIGNALS, type PrivacySignals } from '../../src/context/consent/privacy-signals.ts';
import { addressesOf } from '../../src/creative/absolute-address.ts';
import { composeAd, composePod, composeVideo } from '../../src/creative/vast/compose-vast.ts';
import { createVastWriter } from '../../src/http/openrtb/write-vast.ts';
import type { ServedAd } from '../../src/ledger/hit.ts';
import type { FilledImp } from '../../src/serving/serve-ad.ts';
import { sampleCampaign, sampleCreative, sampleLineItem } from '../../testkit/sample-booking.ts';
import { FULL_VIDEO, videoOf } from '../creative/vast/sample-video.ts';

const BASE = 'https://ads.example';
const write = createVastWriter({ signToken: ({ tokenId }) => `signed.${tokenId}-_`, assetsUrl: '', creativeOrigin: '' });

const creativeOf = (id: number, content: object = FULL_VIDEO, changes: Partial<Creative> = {}): Creative =>
  sampleCreative(id, { content: videoOf(content), clickUrl: 'https://boots.example/', ...changes });

const filledBy = (creative: Creative, tokenId: string): FilledImp => {
  const flight = { startMs: 0, endMs: 1e12 };
  const candidate = {
    ...{ creative, lineItem: sampleLineItem({ id: 7, flight }), campaign: sampleCampaign({ flight }) },
    ...{ ecpmMicros: 1, priceMicros: 1, expectedMicros: 1, position: 0, bid: -1 },
  };
  const imp = { impId: '1', placementId: 'film', size: { width: 640, height: 360 }, otherSizes: [], formats: ['video' as const] };
  return { imp, won: { candidate, bid: undefined, ad: { tokenId } as ServedAd } };
};
interface Asked {
  readonly version?: VastVersion;
  readonly base?: string;
  readonly signals?: PrivacySignals;
}
const written = (shown: readonly (readonly [Creative, string])[], { version = '4.2', base = BASE, signals = NO_SIGNALS }: Asked = {}) =>
  write({ filled: shown.map(([creative, tokenId]) => filledBy(creative, tokenId)), version, base, signals });
const showing = (version: VastVersion, tokenId: string, base = BASE) => ({ version, base, token: `signed.${tokenId}-_`, tokenId });
const addresses = (publicUrl = BASE) => addressesOf({ publicUrl, assetsUrl: '', creativeOrigin: '' });

test('a kept ad is the one that is composed anew: for each token, version, address, place in a break and edition', () => {
  const [one, other] = [creativeOf(1), creativeOf(2, { ...FULL_VIDEO, duration: 30 })];
  for (const version of ['4.2', '3.0', '4.2', '2.0'] as const)
    for (const tokenId of ['a', 'b']) {
      const alone = composeVideo(one, videoOf(FULL_VIDEO), showing(version, tokenId), addresses());
      expect(written([[one, tokenId]], { version })).toBe(alone);
      const pod = [one, other].map((creative, i) =>
        composeAd(creative, creative.content as never, showing(version, `${tokenId}${i}`), addresses(), i + 1),
      );
      const inPod = written(
        [
          [one, `${tokenId}0`],
          [other, `${tokenId}1`],
        ],
        { version },
      );
      expect(inPod).toBe(composePod(version, pod));
    }
  const elsewhere = 'https://two.example';
  expect(written([[one, 'c']], { base: elsewhere })).toBe(
    composeVideo(one, videoOf(FULL_VIDEO), showing('4.2', 'c', elsewhere), addresses(elsewhere)),
  );
  const edited = creativeOf(1, { ...FULL_VIDEO, duration: 31 }, { edition: 1 });
  expect(written([[edited, 'd']])).toContain('<Duration><![CDATA[00:00:31.000]]></Duration>');
});

test('macros in the addresses of others are filled anew for each player', () => {
  const tracker = 'https://t.example/i?c=${CACHEBUSTER}&to=${CLICK_URL_ENC}';
  const plain = creativeOf(3, { ...FULL_VIDEO, trackers: { impression: [tracker] } });
  const consenting = creativeOf(4, { ...FULL_VIDEO, trackers: { impression: [`${tracker}&gdpr=\${GDPR}`] } });
  for (const [tokenId, gdpr] of [
    ['a', true],
    ['b', false],
  ] as const) {
    const click = encodeURIComponent(`${BASE}/click?t=signed.${tokenId}-_`);
    expect(written([[plain, tokenId]])).toContain(`<![CDATA[https://t.example/i?c=${tokenId}&to=${click}]]>`);
    const filled = written([[consenting, tokenId]], { signals: { ...NO_SIGNALS, gdpr } });
    expect(filled).toContain(`<![CDATA[https://t.example/i?c=${tokenId}&to=${click}&gdpr=${gdpr ? 1 : 0}]]>`);
  }
});
