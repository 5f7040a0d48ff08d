import { readFileSync } from 'node:fs';

const MARK = '@USER-ID-12@';
const USERS = 1e6;

/** Numbers from 0 to 1, the same for the same seed (a Lehmer generator: one multiplication, so that drawing costs a load generator nothing). */
export const createChance = (seed) => {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
};

/**
 * What a load generator posts: the requests of a file in order from a random one on, again and again, each with a user drawn anew.
 *
 * @param options.file lines '<api key>\t<body>', as load.ts writes them; each mark in a body stands for the user
 * @param options.path where they are posted
 * @returns the next request: its text, and the browser that it names, which views its ad
 */
export const createAdRequests = ({ file, path, chance }) => {
  const requests = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [apiKey, body] = line.split('\t');
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-API-Key: ${apiKey}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
      return { parts: (head + body).split(MARK), browser: JSON.parse(body).device?.ua ?? '' };
    });
  let at = Math.floor(chance() * requests.length);
  return () => {
    if (at === requests.length) at = 0;
    const { parts, browser } = requests[at++];
    if (parts.length === 1) return { text: parts[0], browser };
    const user = String(Math.floor(chance() * USERS)).padStart(12, '0');
    return { text: parts.length === 2 ? parts[0] + user + parts[1] : parts.join(user), browser };
  };
};
