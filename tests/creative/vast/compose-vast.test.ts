import { VASTParser } from '@dailymotion/vast-client';
import { DOMParser } from '@xmldom/xmldom';
import { composeAd, composeNoAd, composePod, composeVideo } from '../../../src/creative/vast/compose-vast.ts';
import { VAST_VERSIONS } from '../../../src/catalog/model/video-rules.ts';
import { FULL_VIDEO, videoOf } from './sample-video.ts';
import { vastFaults } from './validate-vast.ts';

const ADDRESSES = { service: 'https://ads.example', pictures: 'https://cdn.example', html5: 'https://html5.example' };
const CREATIVE = { id: 9, clickUrl: 'https://boots.example/', advertiserDomain: 'boots.example' };
const showing = (version: (typeof VAST_VERSIONS)[number]) => ({ version, base: 'https://ads.example', token: 'e.y.J', tokenId: 'T1' });

type Content = Readonly<Record<string, unknown>>;
const without = (content: Content, omitted: readonly string[]): Content =>
  Object.fromEntries(Object.entries(content).filter(([name]) => !omitted.includes(name)));

/** Every subset of these is left out of the full video. */
const OPTIONAL = ['mezzanine', 'captions', 'skip_after', 'companions', 'icons', 'verifications', 'trackers'] as const;
const subsets = Array.from({ length: 2 ** OPTIONAL.length }, (_, bits) => OPTIONAL.filter((_, i) => (bits & (1 << i)) !== 0));
const audio = {
  duration: 20.5,
  media: [{ url: 'https://cdn.example/a.mp3', type: 'audio/mpeg', bitrate: 128 }],
  companions: FULL_VIDEO.companions.slice(0, 1),
};
const tag = {
  tag: 'https://other.example/vast?a=1&b=2',
  trackers: FULL_VIDEO.trackers,
  companions: FULL_VIDEO.companions,
  verifications: FULL_VIDEO.verifications,
};

test.each(VAST_VERSIONS)('each of 264 documents is valid by the schema of VAST %s', async (version) => {
  const contents = [
    ...subsets.map((omitted) => videoOf(without(FULL_VIDEO, omitted))),
    videoOf(audio, 'audio'),
    videoOf(without(audio, ['companions']), 'audio'),
    videoOf(tag),
    videoOf({ tag: tag.tag }),
  ];
  const documents = contents.flatMap((content) =>
    [CREATIVE, { ...CREATIVE, clickUrl: null, advertiserDomain: null }].map((creative) =>
      composeVideo(creative, content, showing(version), ADDRESSES),
    ),
  );
  const pod = contents.slice(0, 3).map((content, i) => composeAd({ ...CREATIVE, id: i + 1 }, content, showing(version), ADDRESSES, i + 1));
  expect(documents).toHaveLength(264);
  expect(await vastFaults(version, [...documents, composePod(version, pod)])).toEqual([]);
});

test('a document without an ad says so to its player', async () => {
  expect(composeNoAd('4.2', 'https://ads.example/e?c=[ERRORCODE]')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><VAST xmlns="http://www.iab.com/VAST" version="4.2"><Error><![CDATA[https://ads.example/e?c=[ERRORCODE]]]></Error></VAST>',
  );
  expect(composeNoAd('2.0', 'https://ads.example/e')).toBe('<?xml version="1.0" encoding="UTF-8"?><VAST version="2.0"/>');
  expect(await vastFaults('4.2', [composeNoAd('4.2', 'https://ads.example/e?c=[ERRORCODE]')])).toEqual([]);
});

test.each(VAST_VERSIONS)('a player reads from VAST %s what was booked', async (version) => {
  const text = composeVideo(CREATIVE, videoOf(FULL_VIDEO), showing(version), ADDRESSES);
  const document = new DOMParser().parseFromString(text, 'text/xml');
  const parsed = (await new VASTParser().parseVAST(document)) as Parsed;
  const [ad] = parsed.ads;
  expect(ad?.impressionURLTemplates.map(({ url }) => url)).toEqual([
    'https://ads.example/impression?t=e.y.J',
    ...FULL_VIDEO.trackers.impression,
  ]);
  const linear = ad?.creatives.find(({ type }) => type === 'linear') as Linear;
  expect(linear).toMatchObject({ duration: 15, skipDelay: version === '2.0' ? -1 : 5 });
  expect(linear.mediaFiles.map(({ fileURL, deliveryType, width }) => [fileURL, deliveryType, width])).toEqual([
    [`https://cdn.example/static/assets/${'ab'.repeat(32)}.mp4`, 'progressive', 1280],
    ['https://cdn.example/a.webm?a=1&b=2', 'progressive', 640],
    ['https://cdn.example/a.m3u8', 'streaming', 1920],
  ]);
  expect(linear.videoClickThroughURLTemplate.url).toBe('https://ads.example/click?t=e.y.J');
  expect(linear.trackingEvents['midpoint']).toEqual(['https://ads.example/event?t=e.y.J&type=midpoint']);
  expect(linear.trackingEvents['start']).toEqual(['https://ads.example/event?t=e.y.J&type=start', 'https://t.example/s']);
  // Before VAST 4 in an extension.
  expect(ad?.adVerifications).toMatchObject([
    { vendor: 'measurer.example-omid', resource: 'https://measurer.example/omid.js', apiFramework: 'omid', parameters: '{"a":"<&]]>"}' },
  ]);
  expect(ad?.extensions.map(({ attributes }) => attributes.type)).toEqual(EXTENSIONS[version]);
  const companions = ad?.creatives.find(({ type }) => type === 'companion') as Companions;
  expect(companions.variations).toHaveLength(3);
});

const EXTENSIONS = {
  '2.0': ['AdVerifications', 'UniversalAdId', 'Mezzanine', 'InteractiveCreativeFile', 'Icon'],
  '3.0': ['AdVerifications', 'UniversalAdId', 'Mezzanine', 'InteractiveCreativeFile'],
  '4.2': [],
};

interface Linear {
  readonly type: string;
  readonly mediaFiles: readonly { readonly fileURL: string; readonly deliveryType: string; readonly width: number }[];
  readonly videoClickThroughURLTemplate: { readonly url: string };
  readonly trackingEvents: Readonly<Record<string, readonly string[]>>;
}
interface Companions {
  readonly type: string;
  readonly variations: readonly unknown[];
}
interface Parsed {
  readonly ads: readonly {
    readonly adVerifications: readonly object[];
    readonly extensions: readonly { readonly attributes: { readonly type: string } }[];
    readonly impressionURLTemplates: readonly { readonly url: string }[];
    readonly creatives: readonly (Linear | Companions)[];
  }[];
}
