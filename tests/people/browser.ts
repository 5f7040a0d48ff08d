import type { Json } from '../api/api-client.ts';

export interface PageAnswer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Headers;
}

/** Someone's browser: it keeps the cookies of one replica, and its pages send what browsers send. */
export interface TestBrowser {
  /** Headers that are '' are not sent. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<PageAnswer>;
  /** The same cookies, sent to another replica. */
  at(url: string): TestBrowser;
  readonly cookies: Map<string, string>;
}

/** @param network the address that the load balancer says */
export const browserAt = (url: string, network = '203.0.113.9', cookies = new Map<string, string>()): TestBrowser => ({
  cookies,
  at: (other) => browserAt(other, network, cookies),
  call: async (method, path, body, headers = {}) => {
    const sent = {
      'X-Forwarded-For': network,
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': body === undefined ? '' : 'application/json',
      Cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; '),
      ...headers,
    };
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: Object.entries(sent).filter(([, value]) => value !== ''),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const [name = '', value = ''] = pair.split('=', 2);
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text, headers: answer.headers };
  },
});
