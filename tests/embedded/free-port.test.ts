import { freePort } from '../../src/embedded/free-port.ts';

const PORTS = 20;

test('a port is given once, although no program listens on it yet, and an error says that none is left', async () => {
  const first = await freePort();
  const given = [first];
  // Other processes may have some of these, or take some meanwhile.
  const takeAll = async (): Promise<never> => {
    for (;;) given.push(await freePort([first, first + PORTS]));
  };
  await expect(takeAll()).rejects.toThrow(/No port from \d+ to \d+ was free/);
  expect(given.length).toBeGreaterThan(1);
  expect(new Set(given).size).toBe(given.length);
  expect(given.filter((port) => port < first || port >= first + PORTS)).toEqual([]);
});
