import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { Rig } from '../create-rig.ts';
import { atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { callsFile, closedLoop, interleave } from '../load.ts';
import { adCalls, USER, type AdCall } from '../traffic.ts';

const NAMES = ['ad', 'vast'] as const;
const CONTENT = JSON.stringify({
  duration: 15,
  skip_after: 5,
  media: [
    { url: 'https://cdn.example/boots.mp4', type: 'video/mp4', width: 1280, height: 720, bitrate: 2_000, codec: 'avc1.64001f' },
    { url: 'https://cdn.example/boots.webm', type: 'video/webm', width: 640, height: 360 },
  ],
});

/** The same videos by POST /ad and by GET /vast, on one replica, in turns. */
export const vast = async (rig: Rig, { rounds, seconds }: Scale): Promise<Finding> => {
  const stage = await rig.stage('videos', { lineItems: 1_000, publishers: 1, targeting: 'realistic' });
  await withVideos(stage.databaseUrl);
  const calls = adCalls({ publishers: stage.publishers, calls: 16_384, seed: 11 });
  const tags = path.join(rig.stateDir, 'paths-vast');
  writeFileSync(tags, `${calls.map(tagOf).join('\n')}\n`);
  const file = callsFile(rig, 'videos', calls);
  // A tag's answer has absolute addresses, and /ad writes the same here.
  const server = await rig.startService(stage, { env: { PUBLIC_URL: 'https://ads.example' } });
  const runs = await interleave(NAMES, rounds, (name, warmUp) =>
    closedLoop(rig, {
      server,
      ...(name === 'ad' ? { kind: 'ads' as const, file } : { kind: 'paths' as const, file: tags }),
      seconds: warmUp ? Math.min(seconds, 3) : seconds,
    }),
  );
  await rig.stop(server);
  return {
    title: 'Video',
    text: tableOf(
      ['', 'requests/s', 'server CPU µs', 'Redis CPU µs', 'answer bytes'],
      NAMES.map((name) => {
        const { perSecond, cpuMicros, redisMicros, bytesPerAnswer } = runs[name];
        const door = name === 'ad' ? 'POST /ad' : 'GET /vast';
        return [`\`${door}\``, whole(perSecond), cpuMicros.toFixed(1), redisMicros.toFixed(1), whole(bytesPerAnswer)];
      }),
    ),
    goals: [
      atMost('`GET /vast` against `POST /ad` of the same video, by CPU time per request', 1.3, runs.vast.cpuMicros / runs.ad.cpuMicros),
    ],
  };
};

const withVideos = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`update placements set formats = array['video']`);
    await client.query(`update creatives set format = 'video', content = $1, width = null, height = null`, [CONTENT]);
  } finally {
    await client.end();
  }
};

let visitors = 0;

/** The same request as a tag. */
const tagOf = ({ apiKey, body }: AdCall): string => {
  const { imp, site, ext } = JSON.parse(body.replace(USER, `visitor-${++visitors}`)) as {
    imp: readonly { tagid: string }[];
    site: { page: string };
    ext: { kv: Readonly<Record<string, string>> };
  };
  const query = new URLSearchParams({ key: apiKey, placement: imp[0]!.tagid, n: `visitor-${visitors}`, page: site.page });
  for (const [name, value] of Object.entries(ext.kv)) query.set(`kv.${name}`, value);
  return `/vast?${query.toString()}`;
};
