import { createJudgeLater } from '../../src/tracking/judge-later.ts';

test('hits that were filtered are told although the clicks of their shard, or another shard, cannot be judged', async () => {
  const told: string[] = [];
  const fail = () => Promise.reject(new Error('Redis is away'));
  const later = createJudgeLater({
    link: { upOf: () => true },
    shards: 2,
    expireClicks: (shard) => (shard === 1 ? fail() : Promise.resolve({ clicks: 2, viewable: 1 })),
    judgeClicks: fail,
    recoverProvisional: () => Promise.resolve(0),
    everyMs: 5,
    onExpired: ({ clicks, viewable }) => told.push(`${clicks} clicks, ${viewable} viewable`),
    onJudged: () => told.push('judged'),
    onRecovered: () => told.push('recovered'),
    onFailure: ({ message }) => told.push(message),
  });
  later.start();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await later.stop();
  expect(told.slice(0, 3).toSorted()).toEqual(['2 clicks, 1 viewable', 'Redis is away', 'Redis is away']);
});
