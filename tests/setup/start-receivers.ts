import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { atEnd } from './at-end.ts';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly text: string;
}

/** A mail server that keeps what it gets, and refuses mailboxes named `full`. */
export const startMailSink = async (): Promise<{ readonly url: string; readonly mails: readonly ReceivedMail[] }> => {
  const mails: ReceivedMail[] = [];
  const sink = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('full@') ? new Error('The mailbox is full') : undefined),
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text: Buffer.concat(parts).toString() });
        done();
      });
    },
  });
  // A replica that is ended resets its connection.
  sink.on('error', ({ code }: NodeJS.ErrnoException) => expect(code).toBe('ECONNRESET'));
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  atEnd(() => new Promise<void>((resolve) => sink.close(() => resolve())));
  return { url: `smtp://127.0.0.1:${(sink.server.address() as AddressInfo).port}`, mails };
};

export interface ReceivedCall {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** The statuses of its next answers; 200 when there are none left. */
  readonly answers: number[];
}

/** A webhook that keeps what it gets. */
export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const calls: ReceivedCall[] = [];
  const answers: number[] = [];
  const receiver = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      calls.push({ headers: req.headers, body: Buffer.concat(parts).toString() });
      res.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  atEnd(() => void receiver.close());
  return { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?team=1`, calls, answers };
};
