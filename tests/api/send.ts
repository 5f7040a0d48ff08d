import { Agent, request, type IncomingMessage } from 'node:http';

export interface TextAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A connection for each request: one that is kept does not survive the restart of a replica. */
const ONCE = new Agent();

/** Sends a request with these headers alone, and follows no redirect. Tests send tens of thousands: it costs less than `fetch`. */
export const send = async (
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Buffer,
): Promise<TextAnswer> => {
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    request(url, { agent: ONCE, method, headers: { ...headers, ...length } })
      .on('response', resolve)
      .on('error', reject)
      .end(body),
  );
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  const received = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct)) for (const value of values) received.append(name, value);
  return { status: answer.statusCode!, headers: received, text: Buffer.concat(parts).toString() };
};
