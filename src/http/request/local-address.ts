import type { Request } from 'express';

/** The address of this service, of the socket and not of the Host header, which the client writes. */
export const localAddress = ({ socket: { localAddress = '127.0.0.1', localPort = 80 } }: Request): string => {
  const host = localAddress.replace(/^::ffff:/, '');
  return `http://${host.includes(':') ? `[${host}]` : host}:${localPort}`;
};
