import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer, request as requestSafely, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** For the hosts of the proof, which the browser is told to take. */
export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Cookies of Revive are kept on pages with TLS alone. */
export const createCertificate = async (folder: string): Promise<Certificate> => {
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=example.test', '-keyout', key, '-out', cert];
  await promisify(execFile)('openssl', ['req', '-x509', ...made]);
  return { key: await readFile(key), cert: await readFile(cert) };
};

const listen = async (certificate: Certificate, handler: RequestListener): Promise<{ readonly port: number; readonly server: Server }> => {
  const server = createServer(certificate, handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
};
const stopped = (server: Server): void => {
  server.close();
  server.closeAllConnections();
};

/** The host of the tags: what it leads to is changed without the page. */
export interface TagHost {
  readonly port: number;
  /** @param port of 127.0.0.1 */
  lead(port: number): void;
  stop(): void;
}

/** @param visitor the address that requests come from, as a balancer says it */
export const startTagHost = async (certificate: Certificate, visitor: string): Promise<TagHost> => {
  let target = 0;
  const { port, server } = await listen(certificate, (asked, answer) => {
    const headers = { ...asked.headers, 'x-forwarded-for': visitor, 'x-forwarded-proto': 'https' };
    const passed = request({ host: '127.0.0.1', port: target, path: asked.url, method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  return { port, lead: (to) => void (target = to), stop: () => stopped(server) };
};

/** The websites of the publisher and of advertisers. */
export interface Websites {
  readonly port: number;
  stop(): void;
}

/** @param pages of the publisher, by their paths; other paths are those of advertisers */
export const startWebsites = async (
  certificate: Certificate,
  newsHost: string,
  pages: ReadonlyMap<string, string>,
  pictures: ReadonlyMap<string, Buffer>,
): Promise<Websites> => {
  const { port, server } = await listen(certificate, (asked, answer) => {
    const path = asked.url ?? '';
    const picture = pictures.get(path);
    if (picture) return answer.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    const page = asked.headers.host === newsHost ? pages.get(path) : `<!doctype html><title>landed</title>${path}`;
    if (page === undefined) return answer.writeHead(404).end();
    return answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  return { port, stop: () => stopped(server) };
};

/** Asks a host by a port of this machine, and follows nothing. */
export const askHost = async (
  port: number,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly location: string | undefined; readonly body: Buffer }> => {
  const { host, pathname, search } = new URL(url);
  const to = { host: '127.0.0.1', port, path: pathname + search, headers: { ...headers, host }, rejectUnauthorized: false };
  const asked = requestSafely(to).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const body: Buffer[] = [];
  for await (const part of answer) body.push(part as Buffer);
  return { status: answer.statusCode ?? 0, location: answer.headers.location, body: Buffer.concat(body) };
};
