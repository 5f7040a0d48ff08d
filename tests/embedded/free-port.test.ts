import { freePort } from '../../src/embedded/free-port.ts';

test('a port is given once, although no program listens on it yet, and an error says that none is left', async () => {
  const first = await freePort();
  const range = [first, first + 2] as const;
  const second = await freePort(range);
  expect(second).toBe(first + 1);
  await expect(freePort(range)).rejects.toThrow(/No port from \d+ to \d+ was free/);
});
